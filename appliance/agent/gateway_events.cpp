#include "appliance/agent/gateway_events.h"

#include <boost/json.hpp>
#include <type_traits>

#include "appliance/foundation/crypto/random.h"
#include "appliance/models/providers/openai_chunks.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/protocol/event_text.h"
#include "web/utf8.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t max_shown_bytes = 4 * 1024;  // of arguments and results
constexpr std::size_t max_written_bytes = 64 * 1024;

// The members of a step, the first of which is its kind.
json::object members(const ToolCalled& step, std::string_view kind) {
  return {{kind, "tool_call"},
          {"id", step.id},
          {"name", step.name},
          {"arguments", web::utf8_prefix(step.arguments, max_shown_bytes)}};
}

json::object members(const ToolWrote& step, std::string_view kind) {
  return {{kind, "tool_output"},
          {"id", step.id},
          {"name", step.name},
          {"output", web::utf8_prefix(step.text, max_written_bytes)}};
}

json::object members(const ToolReturned& step, std::string_view kind) {
  return {{kind, "tool_result"},   {"id", step.id},
          {"name", step.name},     {"result", web::utf8_prefix(step.result, max_shown_bytes)},
          {"failed", step.failed}, {"durationMs", step.duration.count()}};
}

json::object members(const GuardStopped& step, std::string_view kind) { return {{kind, "guard"}, {"code", step.code}}; }

json::object members(const WaitsForModel& step, std::string_view kind) {
  return {{kind, "queued"}, {"place", step.place.number}, {"expectedSeconds", step.place.expected.count()}};
}

// Of any event but a piece of text.
json::object members(const TurnEvent& event, std::string_view kind) {
  return std::visit(
      [kind](const auto& step) {
        if constexpr (std::is_same_v<std::decay_t<decltype(step)>, TextPiece>)
          return json::object();
        else
          return members(step, kind);
      },
      event);
}

// Writes the events of one turn as chunks with one id.
class ChunkWriter {
 public:
  // The chunk of an event, preceded by the opening one if it is the first.
  void append(std::string& out, const TurnEvent& event) {
    const auto* text = std::get_if<TextPiece>(&event);
    open(out, text ? text->model : model_);
    if (text) return web::append_event(out, chunks_->piece({.text = text->text}));
    web::append_event(out, chunks_->extended({{"agentbox", members(event, "step")}}));
  }

  void append_end(std::string& out, const Reply& reply, bool include_usage) {
    open(out, reply.model);
    web::append_event(out, chunks_->end(models::Finish::stop));
    if (include_usage) web::append_event(out, chunks_->usage(reply.usage));
    web::append_event(out, "[DONE]");
  }

 private:
  // The model may change from one round to the next.
  void open(std::string& out, const std::string& model) {
    if (chunks_ && model == model_) return;
    const bool is_first = !chunks_;
    model_ = model;
    chunks_.emplace(id_, model_);
    if (is_first) web::append_event(out, chunks_->opening());
  }

  const std::string id_ = new_answer_id();
  std::string model_;
  std::optional<models::openai::Chunks> chunks_;
};

}  // namespace

std::string new_answer_id() { return std::string(models::openai::id_prefix) + crypto::random_id(24); }

web::Task<> send_turn(Loop& loop, Prompt prompt, bool include_usage, spans::TraceContext trace,
                      web::StreamWriter& writer) {
  auto turn = co_await TurnStream::start(loop, std::move(prompt), std::move(trace));
  ChunkWriter chunks;
  for (;;) {
    const auto events = co_await turn.next();
    if (events.empty()) break;
    std::string out;
    for (const auto& event : events) chunks.append(out, event);
    co_await writer.write(std::move(out));
  }
  const auto reply = turn.reply();
  std::string out;
  if (reply)
    chunks.append_end(out, *reply, include_usage);
  else
    web::append_event(out, json::serialize(models::openai::error_body(reply.error())));
  co_await writer.write(std::move(out));
}

std::string socket_message(const TurnEvent& event) {
  if (const auto* text = std::get_if<TextPiece>(&event))
    return json::serialize(json::object{{"type", "delta"}, {"content", text->text}});
  return json::serialize(members(event, "type"));
}

}  // namespace agent_process
