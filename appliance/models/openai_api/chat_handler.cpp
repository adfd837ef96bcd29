// POST /v1/chat/completions.
#include <array>

#include "appliance/foundation/crypto/random.h"
#include "appliance/models/openai_api/handlers.h"
#include "appliance/models/openai_api/model_call.h"
#include "appliance/models/providers/openai_chunks.h"
#include "web/protocol/event_text.h"
#include "web/routes/reply.h"

namespace models::openai_api {

namespace json = boost::json;

namespace {

constexpr std::int64_t max_choices = 4;

struct AskedChat {
  ChatRequest request;
  std::size_t choices = 1;
};

// Takes `n` out of the body: each choice is a call of its own, since most providers have no such parameter.
web::Result<std::size_t> take_choices(json::object& body) {
  const auto* given = body.if_contains("n");
  if (!given || given->is_null()) return std::size_t{1};
  const auto* number = given->if_int64();
  if (!number || *number < 1 || *number > max_choices) return web::invalid("n must be a whole number from 1 to 4");
  const auto choices = static_cast<std::size_t>(*number);
  body.erase("n");
  return choices;
}

web::Result<AskedChat> parse_chat(const web::Request& request) {
  auto body = web::parse_body<json::object>(request);
  if (!body) return body.error();
  const auto choices = take_choices(*body);
  if (!choices) return choices.error();
  auto parsed = openai::parse_request(json::value(std::move(*body)));
  if (!parsed) return parsed.error();
  return AskedChat{.request = std::move(*parsed), .choices = *choices};
}

void add(TokenUsage& sum, const TokenUsage& more) {
  sum.input += more.input;
  sum.output += more.output;
  sum.cached += more.cached;
  sum.reasoning += more.reasoning;
  sum.cache_written += more.cache_written;
  sum.estimated = sum.estimated || more.estimated;
}

web::Task<> send_error(const web::Error& error, web::StreamWriter& writer) {
  const auto text = json::serialize(openai::error_body(error));
  co_await writer.event(text);
}

// One choice after the other: while the first is sent, the pieces of the others wait in their handles.
web::Task<> send_chunks(std::vector<CallHandle>& handles, bool include_usage, web::StreamWriter& writer) {
  const auto id = "chatcmpl-" + crypto::random_id(24);
  TokenUsage used;
  for (std::size_t choice = 0; choice < handles.size(); ++choice) {
    auto& handle = handles[choice];
    // The model is known once it has begun.
    auto pieces = co_await next_pieces(handle, writer);
    const openai::Chunks chunks(id, handle.serving(), choice);
    const auto opening = chunks.opening();
    bool is_open = false;
    for (; !pieces.empty(); pieces = co_await next_pieces(handle, writer)) {
      std::string events;
      if (!std::exchange(is_open, true)) web::append_event(events, opening);
      for (const auto& piece : pieces) web::append_event(events, chunks.piece(piece));
      co_await writer.write(std::move(events));
    }
    const auto answer = co_await handle.answer();
    if (!answer) {
      co_await send_error(answer.error(), writer);
      co_return;
    }
    add(used, answer->usage);
    if (!is_open) co_await writer.event(opening);
    const auto end = chunks.end(*answer);
    co_await writer.event(end);
  }
  if (include_usage) {
    const openai::Chunks chunks(id, handles.front().serving());
    const auto usage = chunks.usage(used);
    co_await writer.event(usage);
  }
  co_await writer.event("[DONE]");
}

web::Response reply_with_chunks(std::vector<CallHandle> handles, bool include_usage) {
  const auto shared = std::make_shared<std::vector<CallHandle>>(std::move(handles));
  return unbuffered_events([shared, include_usage](web::StreamWriter& writer) -> web::Task<> {
    return send_chunks(*shared, include_usage, writer);
  });
}

web::Response reply_whole(const std::vector<ChatAnswer>& answers) {
  std::array<unsigned char, 4096> room;  // the tree is written once and freed as a whole
  json::monotonic_resource memory(room.data(), room.size());
  auto wire = openai::to_wire(answers.front(), &memory);
  auto& choices = wire["choices"].as_array();
  TokenUsage used = answers.front().usage;
  for (std::size_t choice = 1; choice < answers.size(); ++choice) {
    auto more = openai::to_wire(answers[choice], &memory);
    auto& added = more["choices"].as_array().front().as_object();
    added["index"] = choice;
    choices.push_back(std::move(added));
    add(used, answers[choice].usage);
  }
  if (answers.size() > 1) wire["usage"] = openai::usage_to_wire(used, &memory);
  return web::json(std::move(wire));
}

}  // namespace

web::Answer complete_chat(const Services& services, const web::Request& request) {
  auto parsed = parse_chat(request);
  if (!parsed) co_return parsed.error();
  const bool stream = parsed->request.stream, include_usage = parsed->request.include_usage;
  const auto call = model_call(services, request, std::move(parsed->request));
  if (!call) co_return call.error();
  std::vector<CallHandle> handles;
  for (std::size_t choice = 0; choice < parsed->choices; ++choice) {
    ModelCall same = *call;
    auto handle = co_await CallHandle::start(services.gateway, std::move(same), stream);
    handles.push_back(std::move(handle));
  }
  if (stream) {
    auto failed = co_await early_failure(handles.front());
    if (failed) co_return std::move(*failed);
    co_return reply_with_chunks(std::move(handles), include_usage);
  }
  std::vector<ChatAnswer> answers;
  for (auto& handle : handles) {
    auto answer = co_await handle.answer();
    if (!answer) co_return as_openai_has_it(answer.error());
    answers.push_back(std::move(*answer));
  }
  co_return reply_whole(answers);
}

}  // namespace models::openai_api
