#include "appliance/hosting/chat/relay.h"

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

// What has come and was not sent yet. Shared by the exchange and the connection, which live on one thread.
struct Relay {
  explicit Relay(const web::Executor& executor) : news(executor, web::Timer::time_point::max()) {}
  web::Timer news;  // cancelled when something has come
  std::string pieces;
  std::optional<web::Result<Answer>> outcome;
};

void begin(Chat& chat, Asked asked, const web::Executor& executor, const std::shared_ptr<Relay>& relay) {
  Listener listener = [relay](std::string_view piece) {
    relay->pieces.append(piece);
    relay->news.cancel();
  };
  asio::co_spawn(executor, chat.answer(std::move(asked), std::move(listener)),
                 [relay](std::exception_ptr failure, web::Result<Answer> outcome) {
                   if (failure) {
                     web::log::error("an answer could not be kept");
                     outcome = web::internal("The answer could not be kept.");
                   }
                   relay->outcome = std::move(outcome);
                   relay->news.cancel();
                 });
}

std::string event_of(const web::Error& error) {
  boost::json::object told{{"error", error.message}, {"status", web::http_status(error.kind)}};
  if (!error.code.empty()) told["code"] = error.code;
  for (const auto& [name, value] : error.extra) told[name] = value;
  return boost::json::serialize(told);
}

web::Task<> tell(std::shared_ptr<Relay> relay, web::StreamWriter& writer) {
  for (;;) {
    if (!relay->pieces.empty()) {
      const auto data = boost::json::serialize(boost::json::object{{"content", std::exchange(relay->pieces, {})}});
      co_await writer.event(data, "delta");
    } else if (relay->outcome) {
      break;
    } else {
      boost::system::error_code woken;
      co_await relay->news.async_wait(asio::redirect_error(web::use_task, woken));
    }
  }
  const auto& outcome = *relay->outcome;
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

web::Task<web::Response> streamed_answer(Chat& chat, Asked asked) {
  const web::Executor executor = co_await asio::this_coro::executor;
  const auto relay = std::make_shared<Relay>(executor);
  begin(chat, std::move(asked), executor, relay);
  auto response = web::server_sent_events([relay](web::StreamWriter& writer) { return tell(relay, writer); });
  response.set("X-Accel-Buffering", "no");
  co_return response;
}

}  // namespace chat
