#include "appliance/hosting/mcp_servers/http_transport.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/json.hpp>
#include <deque>

#include "appliance/hosting/mcp_servers/wire.h"
#include "web/json.h"

namespace mcp_servers {

namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using web::Result;
using web::Task;

constexpr std::size_t max_requests = 16;  // of the server during one call
constexpr std::chrono::seconds reply_time{10};

std::chrono::milliseconds time_until(Clock::time_point deadline) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
}

// Requests of the server that came in the stream of an answer.
struct Requests {
  explicit Requests(const web::Executor& executor) : wake(executor, Clock::time_point::max()) {}
  std::deque<json::object> waiting;
  std::size_t count = 0;
  web::Timer wake;
};

class HttpTransport : public Transport {
 public:
  HttpTransport(ServerConfig config, TransportLimits limits, web::CallOrigin origin, TokenSource tokens,
                Notified notified)
      : config_(std::move(config)),
        limits_(limits),
        origin_(std::move(origin)),
        tokens_(std::move(tokens)),
        notified_(std::move(notified)) {}

  bool prefers_sessions() const override { return false; }

  Task<Result<Outcome>> exchange(const Form& form, const Call& call, std::int64_t id, Clock::time_point deadline,
                                 bool is_notification) override {
    auto token = config_.token;
    if (std::string none; token.empty()) token = co_await tokens_(none);
    auto outcome = co_await exchange_with(token, form, call, id, deadline, is_notification);
    const bool is_refused = outcome && outcome->status == 401 && config_.token.empty();
    if (!is_refused) co_return outcome;
    token = co_await tokens_(token);
    if (!token.empty()) outcome = co_await exchange_with(token, form, call, id, deadline, is_notification);
    if (!token.empty() && (!outcome || outcome->status != 401)) co_return outcome;
    auto error = server_failure(config_.name, "answered with status 401: its user has to sign in.");
    error.code = sign_in_code;
    co_return error;
  }

 private:
  Task<Result<Outcome>> exchange_with(const std::string& token, const Form& form, const Call& call, std::int64_t id,
                                      Clock::time_point deadline, bool is_notification) const {
    const auto time = time_until(deadline);
    if (time.count() <= 0) co_return server_failure(config_.name, "did not answer in time.");
    auto request = head(token, form, call);
    request.body = json::serialize(message_of(form, call, id, is_notification));
    request.timeout = time;
    Outcome outcome;
    Requests requests(co_await asio::this_coro::executor);
    AnswerReader reader(id, [&](json::object other) { take(std::move(other), requests); });
    request.on_head = [&](int status, const web::FetchHeaders& headers) {
      outcome.status = status;
      for (const auto& [name, value] : headers) {
        if (name == "content-type") reader.set_content_type(value);
        if (name == "mcp-session-id" && form.has_session) outcome.session = value;
      }
      return true;
    };
    request.sink = [&](std::string_view bytes) { return reader.feed(bytes); };
    auto response = co_await transfer(std::move(request), token, form, call, deadline, requests);
    if (!response) {
      auto error = server_failure(config_.name, "did not answer: " + response.error().message);
      if (response.error().kind == web::Kind::timeout) error.kind = web::Kind::timeout;
      co_return error;
    }
    if (auto answer = reader.take()) read_answer(*answer, outcome);
    co_return outcome;
  }

  web::FetchRequest head(const std::string& token, const Form& form, const Call& call) const {
    web::FetchRequest request{.url = config_.url, .method = "POST"};
    request.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}};
    if (!token.empty()) request.headers.emplace_back("Authorization", "Bearer " + token);
    for (const auto& header : config_.headers) request.headers.push_back(header);
    if (!form.version.empty()) request.headers.emplace_back("MCP-Protocol-Version", form.version);
    if (form.has_session) {
      if (!form.session.empty()) request.headers.emplace_back("Mcp-Session-Id", form.session);
    } else {
      request.headers.emplace_back("Mcp-Method", call.method);
      if (!call.name.empty()) request.headers.emplace_back("Mcp-Name", header_value(call.name));
      for (const auto& header : call.headers) request.headers.push_back(header);
    }
    request.origin = origin_;
    request.reach = limits_.reach;
    request.max_bytes = limits_.max_answer_bytes;
    return request;
  }

  void take(json::object other, Requests& requests) const {
    if (!is_request(other)) return notified_(web::string_member(other, "method"));
    if (++requests.count > max_requests) return;
    requests.waiting.push_back(std::move(other));
    requests.wake.cancel();
  }

  // A server with sessions may ask while it answers, so that the time of its questions has to be left out.
  Task<Result<web::FetchResponse>> transfer(web::FetchRequest request, const std::string& token, const Form& form,
                                            const Call& call, Clock::time_point deadline, Requests& requests) const {
    using namespace asio::experimental::awaitable_operators;
    if (!form.has_session || !call.ask) co_return co_await web::fetch(std::move(request));
    request.timeout = std::chrono::milliseconds(0);
    auto fetched = co_await (web::fetch(std::move(request)) || serve(token, form, call, deadline, requests));
    if (auto* response = std::get_if<0>(&fetched)) co_return std::move(*response);
    co_return web::Error{.kind = web::Kind::timeout, .message = "it took too long."};
  }

  // Answers the server's requests until the deadline.
  Task<> serve(const std::string& token, const Form& form, const Call& call, Clock::time_point deadline,
               Requests& requests) const {
    while (Clock::now() < deadline) {
      if (requests.waiting.empty()) {
        boost::system::error_code woken;
        requests.wake.expires_at(deadline);
        co_await requests.wake.async_wait(asio::redirect_error(web::use_task, woken));
        continue;
      }
      auto next = std::move(requests.waiting.front());
      requests.waiting.pop_front();
      const auto before = Clock::now();
      auto reply = co_await answer_to_server(std::move(next), call.ask);
      deadline += Clock::now() - before;
      const Call answering{.method = {}};
      auto request = head(token, form, answering);
      request.body = json::serialize(reply);
      request.timeout = reply_time;
      co_await web::fetch(std::move(request));  // without it the server does not go on, and the call takes too long
    }
  }

  const ServerConfig config_;
  const TransportLimits limits_;
  const web::CallOrigin origin_;
  const TokenSource tokens_;
  const Notified notified_;
};

}  // namespace

std::unique_ptr<Transport> http_transport(ServerConfig config, TransportLimits limits, web::CallOrigin origin,
                                          TokenSource tokens, Notified notified) {
  return std::make_unique<HttpTransport>(std::move(config), limits, std::move(origin), std::move(tokens),
                                         std::move(notified));
}

}  // namespace mcp_servers
