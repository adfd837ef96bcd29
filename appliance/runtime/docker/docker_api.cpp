#include "appliance/runtime/docker/docker_api.h"

#include <boost/json.hpp>
#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <charconv>

#include "web/json.h"

namespace runtime::docker {

namespace json = boost::json;
using web::Result;
using web::Task;

namespace {

constexpr std::string_view scheme = "unix://";
constexpr int oldest_minor = 41, newest_minor = 47;  // of API version 1.x

// 41 of "1.41"; nothing for another form.
std::optional<int> minor_of(std::string_view version) {
  if (!version.starts_with("1.")) return {};
  version.remove_prefix(2);
  int minor = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), minor);
  if (error != std::errc() || end != version.data() + version.size()) return {};
  return minor;
}

Answer answer_of(const web::FetchResponse& response) {
  Answer answer{.status = response.status, .body = {}};
  boost::system::error_code not_json;
  if (!response.body.empty()) answer.body = json::parse(response.body, not_json);
  if (not_json) answer.body = json::string(response.body);
  return answer;
}

std::string words_of(const json::value& body) {
  return body.is_string() ? std::string(body.get_string()) : web::string_member(body, "message");
}

}  // namespace

web::Error refusal(std::string_view what, const Answer& answer) {
  auto words = words_of(answer.body);
  while (words.ends_with('\n') || words.ends_with('.') || words.ends_with(' ')) words.pop_back();
  if (words.empty()) words = "status " + std::to_string(answer.status);
  return web::internal("The Docker Engine refused to " + std::string(what) + ": " + words + ".");
}

std::string escape(std::string_view text) { return boost::urls::encode(text, boost::urls::unreserved_chars); }

Api::Api(std::string_view host) : socket_(host.starts_with(scheme) ? host.substr(scheme.size()) : std::string_view()) {}

web::Error Api::silent(const web::Error& cause) {
  version_.clear();
  return web::unavailable("The Docker Engine at " + socket_ + " does not answer: " + cause.message);
}

web::FetchRequest Api::request(std::string method, const std::string& path) const {
  web::FetchRequest request;
  request.url = "http://docker" + path;
  request.method = std::move(method);
  request.unix_socket = socket_;
  request.connect_timeout = std::chrono::seconds(2);
  return request;
}

Task<Result<void>> Api::negotiate() {
  if (!version_.empty()) co_return Result<void>();
  if (socket_.empty()) co_return web::unavailable("DOCKER_HOST must be unix:// and the path of the engine's socket.");
  auto ping = request("GET", "/_ping");
  ping.timeout = std::chrono::seconds(5);
  const auto pong = co_await web::fetch(std::move(ping));
  if (!pong) co_return silent(pong.error());
  const auto offered = pong->header("api-version");
  const auto minor = minor_of(offered);
  if (pong->status != 200 || !minor)
    co_return web::unavailable("What listens at " + socket_ + " is not a Docker Engine.");
  if (*minor < oldest_minor)
    co_return web::unavailable("The Docker Engine supports only API " + offered +
                               "; 1.41 (Docker 20.10) or later is required.");
  version_ = "1." + std::to_string(std::min(*minor, newest_minor));
  co_return Result<void>();
}

Task<Result<Answer>> Api::call(std::string method, std::string path, json::value body,
                               std::chrono::milliseconds timeout) {
  const auto agreed = co_await negotiate();
  if (!agreed) co_return agreed.error();
  auto asked = request(std::move(method), "/v" + version_ + path);
  asked.timeout = timeout;
  if (!body.is_null()) {
    asked.headers.emplace_back("Content-Type", "application/json");
    asked.body = json::serialize(body);
  }
  const auto response = co_await web::fetch(std::move(asked));
  if (!response) co_return silent(response.error());
  co_return answer_of(*response);
}

Task<Result<Answer>> Api::upload(std::string path, std::string bytes) {
  const auto agreed = co_await negotiate();
  if (!agreed) co_return agreed.error();
  auto asked = request("POST", "/v" + version_ + path);
  asked.timeout = std::chrono::minutes(5);
  asked.headers.emplace_back("Content-Type", "application/x-tar");
  asked.body = std::move(bytes);
  const auto response = co_await web::fetch(std::move(asked));
  if (!response) co_return silent(response.error());
  co_return answer_of(*response);
}

Task<Result<void>> Api::stream(std::string path, std::function<bool(std::string_view)> sink,
                               std::function<void()> on_open, std::chrono::milliseconds timeout) {
  const auto agreed = co_await negotiate();
  if (!agreed) co_return agreed.error();
  auto asked = request("GET", "/v" + version_ + path);
  asked.timeout = timeout;
  asked.max_bytes = std::size_t(-1) / 2;
  const auto refused = std::make_shared<web::FetchResponse>();
  asked.on_head = [refused, on_open](int status, const web::FetchHeaders&) {
    refused->status = status;
    if (status == 200 && on_open) on_open();
    return true;
  };
  asked.sink = [refused, sink = std::move(sink)](std::string_view bytes) {
    if (refused->status == 200) return sink(bytes);
    refused->body.append(bytes.substr(0, 4096 - std::min<std::size_t>(4096, refused->body.size())));
    return true;
  };
  const auto response = co_await web::fetch(std::move(asked));
  if (!response) co_return silent(response.error());
  if (response->status != 200) co_return refusal("stream", answer_of(*refused));
  co_return Result<void>();
}

}  // namespace runtime::docker
