#include "appliance/box/acme/directory.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <ctime>

#include "web/json.h"

namespace acme {

namespace json = boost::json;
using namespace std::chrono_literals;

namespace {

constexpr int max_nonces = 6;  // for one request
constexpr auto answer_time = 30s;
constexpr std::size_t longest_answer = 256u << 10, longest_detail = 500;

json::object object_or_empty(const std::string& text) {
  boost::system::error_code invalid;
  auto value = json::parse(text, invalid);
  return !invalid && value.is_object() ? std::move(value.as_object()) : json::object();
}

// Seconds, or a date; 0: neither.
std::chrono::seconds retry_after(const web::FetchResponse& answer) {
  const auto text = answer.header("retry-after");
  std::int64_t seconds = 0;
  if (const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
      error == std::errc() && end == text.data() + text.size())
    return std::chrono::seconds(std::max<std::int64_t>(seconds, 0));
  std::tm parts{};
  if (strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts) == nullptr) return 0s;
  const auto until = std::chrono::sys_seconds(std::chrono::seconds(timegm(&parts)));
  return std::max(0s, std::chrono::ceil<std::chrono::seconds>(until - std::chrono::system_clock::now()));
}

// "rateLimited: too many certificates": a problem document (RFC 7807) in words, on one line.
std::string problem_text(const json::object& problem, int status) {
  const auto type = web::string_member(problem, "type");
  auto detail = web::string_member(problem, "detail").substr(0, longest_detail);
  std::ranges::replace_if(
      detail, [](unsigned char c) { return c < ' '; }, ' ');
  if (type.empty() && detail.empty()) return "status " + std::to_string(status);
  return type.substr(type.rfind(':') + 1) + (detail.empty() ? "" : ": " + detail);
}

bool wants_another_nonce(const web::FetchResponse& answer) {
  return answer.status == 400 && web::string_member(object_or_empty(answer.body), "type").ends_with(":badNonce");
}

}  // namespace

web::Task<web::FetchResponse> Directory::send(web::FetchRequest request) const {
  request.timeout = answer_time;
  request.max_bytes = longest_answer;
  request.origin.part = "acme";
  auto answer = co_await web::fetch(std::move(request));
  if (!answer) throw Refused("the certificate authority cannot be reached: " + answer.error().message);
  co_return std::move(*answer);
}

web::Task<> Directory::enter(std::string email) {
  web::FetchRequest request{.url = url_};
  const auto answer = co_await send(std::move(request));
  resources_ = object_or_empty(answer.body);
  if (answer.status != 200 || resources_.empty())
    throw Refused(
        "ACME_DIRECTORY is not the directory of a certificate authority: it answers " + std::to_string(answer.status),
        retry_after(answer));
  json::object account{{"termsOfServiceAgreed", true}};
  if (!email.empty()) account["contact"] = json::array{"mailto:" + email};
  const auto url = url_of("newAccount"), payload = json::serialize(account);
  const auto entered = co_await post(url, payload);
  if (entered.location.empty()) throw Refused("the certificate authority names no account");
  account_ = entered.location;
}

std::string Directory::url_of(const std::string& resource) const {
  auto url = web::string_member(resources_, resource);
  if (url.empty()) throw Refused("the certificate authority offers no " + resource);
  return url;
}

web::Task<std::string> Directory::take_nonce() {
  if (!nonce_.empty()) co_return std::exchange(nonce_, {});
  web::FetchRequest request{.url = url_of("newNonce"), .method = "HEAD"};
  const auto answer = co_await send(std::move(request));
  auto nonce = answer.header("replay-nonce");
  if (nonce.empty()) throw Refused("the certificate authority gives no nonce", retry_after(answer));
  co_return nonce;
}

web::Task<Reply> Directory::post(std::string url, std::string payload) {
  for (int attempt = 1;; ++attempt) {
    const auto nonce = co_await take_nonce();
    web::FetchRequest request{.url = url, .method = "POST"};
    request.headers.emplace_back("Content-Type", "application/jose+json");
    request.body = key_.sign(account_, nonce, url, payload);
    const auto answer = co_await send(std::move(request));
    nonce_ = answer.header("replay-nonce");
    if (attempt < max_nonces && wants_another_nonce(answer)) continue;
    Reply reply{.body = object_or_empty(answer.body),
                .text = answer.body,
                .location = answer.header("location"),
                .retry_after = retry_after(answer)};
    if (answer.status / 100 != 2)
      throw Refused("the certificate authority refuses: " + problem_text(reply.body, answer.status), reply.retry_after);
    co_return reply;
  }
}

}  // namespace acme
