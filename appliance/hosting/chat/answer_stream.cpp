#include "appliance/hosting/chat/answer_stream.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json.hpp>

#include "appliance/hosting/chat/views.h"
#include "web/log.h"
#include "web/reply.h"

namespace chat {

namespace {

namespace asio = boost::asio;

// Shared by the exchange and the connection, which run on the same thread.
struct AnswerBuffer {
  explicit AnswerBuffer(const web::Executor& executor) : changed(executor, web::Timer::time_point::max()) {}
  web::Timer changed;  // cancelled when the rest has changed
  std::string pieces;
  std::optional<web::Result<Answer>> outcome;
};

void start_exchange(Chat& chat, Question question, const web::Executor& executor,
                    const std::shared_ptr<AnswerBuffer>& buffer) {
  Listener listener = [buffer](std::string_view piece) {
    buffer->pieces.append(piece);
    buffer->changed.cancel();
  };
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

std::string event_of(const web::Error& error) {
  boost::json::object event{{"error", error.message}, {"status", web::http_status(error.kind)}};
  if (!error.code.empty()) event["code"] = error.code;
  for (const auto& [name, value] : error.extra) event[name] = value;
  return boost::json::serialize(event);
}

web::Task<> send_events(std::shared_ptr<AnswerBuffer> buffer, web::StreamWriter& writer) {
  for (;;) {
    if (!buffer->pieces.empty()) {
      const auto data = boost::json::serialize(boost::json::object{{"content", std::exchange(buffer->pieces, {})}});
      co_await writer.event(data, "delta");
    } else if (buffer->outcome) {
      break;
    } else {
      boost::system::error_code woken;
      co_await buffer->changed.async_wait(asio::redirect_error(web::use_task, woken));
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

}  // namespace

web::Task<web::Response> stream_answer(Chat& chat, Question question) {
  const web::Executor executor = co_await asio::this_coro::executor;
  const auto buffer = std::make_shared<AnswerBuffer>(executor);
  start_exchange(chat, std::move(question), executor, buffer);
  auto response = web::server_sent_events([buffer](web::StreamWriter& writer) { return send_events(buffer, writer); });
  response.set("X-Accel-Buffering", "no");
  co_return response;
}

}  // namespace chat
