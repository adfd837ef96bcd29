#include "tests/fuzz/provider_stream_target.h"

#include <string>

#include "appliance/models/providers/anthropic_wire.h"
#include "appliance/models/providers/google_wire.h"
#include "appliance/models/providers/openai_stream.h"
#include "appliance/models/providers/sse.h"
#include "tests/fuzz/require.h"

namespace fuzz {

namespace {

class Pieces final : public models::Listener {
 public:
  void text(std::string_view piece) override { all += "text " + std::string(piece) + "\n"; }
  void call(std::size_t index, std::string_view id, std::string_view name, std::string_view arguments) override {
    // Ids that a provider leaves out are random.
    all += "call " + std::to_string(index) + (id.empty() ? " more " : " new ") + std::string(name) + " " +
           std::string(arguments) + "\n";
  }
  std::string all;
};

template <class Stream>
std::string read(std::string_view bytes, std::size_t piece) {
  Pieces pieces;
  Stream stream(pieces);
  std::string events;
  bool has_ended = false;
  models::EventReader reader([&](std::string_view event, std::string_view data) {
    require(!has_ended, "nothing is read after the end");
    events += "event " + std::string(event) + " " + std::string(data) + "\n";
    has_ended = !stream.event(data);
    return !has_ended;
  });
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), piece)))
    if (!reader.feed(bytes.substr(0, piece))) break;
  events += pieces.all;
  if (const auto& error = stream.reported_error()) events += "error " + error->type + " " + error->message;
  if (stream.is_complete()) {
    const auto answer = stream.take({});
    events += "answer " + answer.message.content + " " + std::to_string(answer.message.tool_calls.size());
    require(answer.usage.input >= 0 && answer.usage.output >= 0, "no usage is negative");
  }
  return events;
}

template <class Stream>
void check(std::string_view bytes) {
  const auto whole = read<Stream>(bytes, std::max<std::size_t>(bytes.size(), 1));
  for (const std::size_t piece : {1u, 3u, 50u})
    require(read<Stream>(bytes, piece) == whole, "the result does not depend on the cuts");
}

}  // namespace

void provider_stream(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto rest = bytes.substr(1);
  switch (bytes.front() % 3) {
    case 0:
      return check<models::openai::AnswerStream>(rest);
    case 1:
      return check<models::anthropic::AnswerStream>(rest);
    default:
      return check<models::google::AnswerStream>(rest);
  }
}

}  // namespace fuzz
