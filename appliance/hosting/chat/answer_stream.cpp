#include "appliance/hosting/chat/answer_stream.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json.hpp>

#include "appliance/hosting/chat/views.h"
#include "web/log.h"
#include "web/protocol/event_text.h"
#include "web/routes/disconnect.h"
#include "web/routes/reply.h"

namespace chat {

namespace {

namespace asio = boost::asio;

// Shared by the exchange and the connection, which run on the same thread.
struct AnswerBuffer {
  explicit AnswerBuffer(const web::Executor& executor) : changed(executor, web::Timer::time_point::max()) {}

  void add(Piece piece) {
    auto* text = std::get_if<std::string>(&piece);
    auto* last = pieces.empty() ? nullptr : std::get_if<std::string>(&pieces.back());
    if (text && last)
      last->append(*text);
    else
      pieces.push_back(std::move(piece));
    changed.cancel();
  }

  web::Timer changed;  // cancelled when the rest has changed
  std::vector<Piece> pieces;
  std::optional<web::Result<Answer>> outcome;
};

void start_exchange(Chat& chat, Question question, const web::Executor& executor,
                    const std::shared_ptr<AnswerBuffer>& buffer) {
  Listener listener = [buffer](Piece piece) { buffer->add(std::move(piece)); };
  asio::co_spawn(executor, chat.answer(std::move(question), std::move(listener)),
                 [buffer](std::exception_ptr failure, web::Result<Answer> outcome) {
                   if (failure) {
                     web::log::error("answer_not_stored");
                     outcome = web::internal("The answer could not be stored.");
                   }
                   buffer->outcome = std::move(outcome);
                   buffer->changed.cancel();
                 });
}

void append_event(std::string& out, const Piece& piece) {
  if (const auto* text = std::get_if<std::string>(&piece))
    return web::append_event(out, boost::json::serialize(boost::json::object{{"content", *text}}), "delta");
  if (const auto* place = std::get_if<QueuePlace>(&piece)) {
    const boost::json::object event{{"place", place->number}, {"expectedSeconds", place->expected_seconds}};
    return web::append_event(out, boost::json::serialize(event), "queued");
  }
  const auto& step = std::get<Step>(piece);
  boost::json::object event{{"id", step.id}, {"name", step.name}};
  if (step.is_output) {
    event["output"] = step.text;
    return web::append_event(out, boost::json::serialize(event), "tool_output");
  }
  event[step.is_result ? "result" : "arguments"] = step.text;
  if (step.is_result) {
    event["failed"] = step.failed;
    event["durationMs"] = step.duration_ms;
  }
  web::append_event(out, boost::json::serialize(event), step.is_result ? "tool_result" : "tool_call");
}

std::string event_of(const web::Error& error) {
  boost::json::object event{{"error", error.message}, {"status", web::http_status(error.kind)}};
  if (!error.code.empty()) event["code"] = error.code;
  for (const auto& [name, value] : error.extra) event[name] = value;
  return boost::json::serialize(event);
}

// Stops an exchange that has not ended when its client closes the stream.
class StopAtEnd {
 public:
  StopAtEnd(const AnswerBuffer& buffer, const Pending::Entry& exchange, bool keeps_on)
      : buffer_(buffer), exchange_(exchange), keeps_on_(keeps_on) {}
  StopAtEnd(const StopAtEnd&) = delete;
  StopAtEnd& operator=(const StopAtEnd&) = delete;
  ~StopAtEnd() {
    if (!keeps_on_ && !buffer_.outcome) exchange_.stop();
  }

 private:
  const AnswerBuffer& buffer_;
  const Pending::Entry& exchange_;
  const bool keeps_on_;
};

std::string question_event(const Message& question) {
  std::string event;
  const boost::json::object data{{"id", question.id}, {"conversationId", question.conversation}};
  web::append_event(event, boost::json::serialize(data), "question");
  return event;
}

// `first` begins the events of an exchange that goes on when its client disconnects.
web::Task<> send_events(std::shared_ptr<AnswerBuffer> buffer, std::shared_ptr<Pending::Entry> exchange,
                        std::optional<std::string> first, web::StreamWriter& writer) {
  const StopAtEnd stop_at_end(*buffer, *exchange, first.has_value());
  if (first) co_await writer.write(std::move(*first));
  for (;;) {
    if (!buffer->pieces.empty()) {
      std::string events;
      for (const auto& piece : std::exchange(buffer->pieces, {})) append_event(events, piece);
      co_await writer.write(std::move(events));
    } else if (buffer->outcome) {
      break;
    } else if (!co_await web::wait_unless_disconnected(buffer->changed)) {
      co_return;
    }
  }
  const auto& outcome = *buffer->outcome;
  if (!outcome) {
    const auto data = event_of(outcome.error());
    co_await writer.event(data, "error");
    co_return;
  }
  std::string data;
  web::write_json(data, view(*outcome));
  co_await writer.event(data, "done");
}

web::Task<> send_live_events(std::shared_ptr<const LiveAnswer> answer, web::StreamWriter& writer) {
  LiveAnswer::Position position;
  for (bool has_ended = !answer; !has_ended;) {
    std::string events;
    for (const auto& piece : answer->read(position, has_ended)) append_event(events, piece);
    if (!events.empty())
      co_await writer.write(std::move(events));
    else if (!has_ended && !co_await answer->wait(position))
      co_return;
  }
  co_await writer.event("{}", "end");
}

web::Response event_response(web::Stream body) {
  auto response = web::server_sent_events(std::move(body));
  response.set("X-Accel-Buffering", "no");
  return response;
}

}  // namespace

web::Response follow_answer(std::shared_ptr<const LiveAnswer> answer) {
  return event_response(
      [answer = std::move(answer)](web::StreamWriter& writer) { return send_live_events(answer, writer); });
}

web::Task<web::Response> stream_answer(Chat& chat, Question question, bool keeps_on) {
  const web::Executor executor = co_await asio::this_coro::executor;
  const auto buffer = std::make_shared<AnswerBuffer>(executor);
  const auto exchange = question.entry;
  std::optional<std::string> first;
  if (keeps_on) first = question_event(question.message);
  start_exchange(chat, std::move(question), executor, buffer);
  co_return event_response([buffer, exchange, first = std::move(first)](web::StreamWriter& writer) {
    return send_events(buffer, exchange, first, writer);
  });
}

}  // namespace chat
