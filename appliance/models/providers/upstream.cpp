#include "appliance/models/providers/upstream.h"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/json.hpp>
#include <cctype>
#include <charconv>

#include "appliance/foundation/redaction.h"
#include "appliance/models/providers/provider_config.h"
#include "appliance/models/providers/sse.h"
#include "appliance/models/providers/wire_json.h"
#include "web/ascii.h"
#include "web/json.h"

namespace models {

namespace json = boost::json;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t answer_bytes = 8u << 20;
constexpr std::size_t passed_bytes = 64u << 20;  // of sound or images
constexpr std::size_t quoted_bytes = 300;        // of a quoted message
constexpr std::size_t error_bytes = 64u << 10;

// The upstream's error message: as error_in, {message}, or any of these as the one element of an array, which is
// Google's way; else empty.
std::string upstream_message(std::string_view body) {
  boost::system::error_code error;
  const auto value = json::parse(body, error);
  const json::value* whole = error ? nullptr : &value;
  if (whole && whole->is_array() && !whole->get_array().empty()) whole = &whole->get_array().front();
  const auto* object = whole ? whole->if_object() : nullptr;
  if (!object) return {};
  if (auto reported = error_in(*object)) return std::move(reported->message);
  return web::string_member(*object, "message");
}

bool speaks_of(std::string_view message, std::initializer_list<const char*> phrases) {
  const auto lower = web::lower_case(message);
  return std::ranges::any_of(phrases, [&](const char* phrase) { return lower.find(phrase) != lower.npos; });
}

bool speaks_of_context(std::string_view message) {
  return speaks_of(message, {"context length", "context_length", "context size", "context window", "maximum context",
                             "too many tokens", "prompt is too long", "maximum number of tokens", "input token count"});
}

// The vendors' words for a model that they do not have or no longer have.
bool speaks_of_missing_model(int status, std::string_view message) {
  if (status == 404) return speaks_of(message, {"model", "no endpoints"});
  return status == 400 && speaks_of(message, {"not a valid model", "model_not_found", "model not found"});
}

bool speaks_of_key(std::string_view message) { return speaks_of(message, {"api key not valid", "invalid api key"}); }

std::optional<std::chrono::seconds> parse_retry_after(std::string_view text) {
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

std::string header(const web::FetchHeaders& headers, std::string_view name) {
  const auto found = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
  return found == headers.end() ? std::string() : found->second;
}

UpstreamSettings normalized(UpstreamSettings settings) {
  while (!settings.base_url.empty() && settings.base_url.back() == '/') settings.base_url.pop_back();
  return settings;
}

// Measures how long no bytes have arrived.
struct Silence {
  Clock::time_point since = Clock::now();
  std::chrono::milliseconds limit;
  web::Timer timer;
};

// Returns when the limit has passed. Both may change meanwhile; a change of the limit must cancel the timer.
web::Task<> until_too_long(Silence& silence) {
  while (Clock::now() - silence.since < silence.limit) {
    silence.timer.expires_at(silence.since + silence.limit);
    boost::system::error_code moved;
    co_await silence.timer.async_wait(boost::asio::redirect_error(web::use_task, moved));
  }
}

// Time for bytes after the end of the answer, so that the connection can be reused.
constexpr std::chrono::milliseconds time_to_end{500};

}  // namespace

Upstream::Upstream(UpstreamSettings settings) : settings_(normalized(std::move(settings))) {}

Failure Upstream::fail(Fault fault, std::string_view what) const {
  return {.fault = fault, .message = "The model provider '" + settings_.name + "' " + std::string(what)};
}

Failure Upstream::bad_answer(std::string_view what) const {
  auto failure = fail(Fault::bad_answer, what);
  failure.may_be_billed = true;
  return failure;
}

std::string Upstream::quoted(std::string text) const {
  text = agentbox::redact_secret(text, settings_.key, "[key]");
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  if (text.size() > quoted_bytes) {
    auto end = quoted_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text.resize(end);
    text += "...";
  }
  return text;
}

Failure Upstream::reported(std::string_view type, std::string_view message) const {
  const auto suffix = message.empty() ? std::string(".") : ": " + quoted(std::string(message));
  const bool overloaded = type == "overloaded_error" || type == "UNAVAILABLE";
  const bool limited = type == "rate_limit_error" || type == "rate_limit_exceeded" || type == "RESOURCE_EXHAUSTED";
  auto failure = overloaded ? fail(Fault::overloaded, "is overloaded" + suffix)
                 : limited  ? fail(Fault::rate_limited, "is rate limited" + suffix)
                            : fail(Fault::upstream_error, "broke off its answer" + suffix);
  failure.is_worth_repeating = type == malformed_call;
  failure.may_be_billed = true;
  return failure;
}

Failure Upstream::failure_of(int status, std::string_view body, const std::string& retry_after) const {
  const auto said = quoted(upstream_message(body));
  const auto suffix = said.empty() ? "." : ": " + said;
  if (status == 429) {
    auto failure = fail(Fault::rate_limited, "is rate limited" + suffix);
    failure.retry_after = parse_retry_after(retry_after);
    return failure;
  }
  if (status == 401 || status == 403 || (status == 400 && speaks_of_key(said))) {
    if (!settings_.own_key) return fail(Fault::bad_key, "refused the configured key" + suffix);
    return fail(Fault::bad_key, "refused your own key" + suffix + (suffix.ends_with('.') ? "" : ".") +
                                    " Bring another with PUT /api/provider-keys/" + settings_.name +
                                    ", or DELETE it there to have calls go on your plan.");
  }
  if (status == 503 || status == 529) {
    auto failure = fail(Fault::overloaded, "is overloaded" + suffix);
    failure.retry_after = parse_retry_after(retry_after);
    return failure;
  }
  if (status == 408 || status == 504) {
    auto failure = fail(Fault::timeout, "did not answer in time" + suffix);
    failure.may_be_billed = true;
    return failure;
  }
  if (speaks_of_missing_model(status, said)) {
    const bool is_in_catalogue = std::ranges::count(keyed_providers, settings_.name) > 0;
    return fail(
        Fault::model_not_available,
        "does not have this model" + suffix +
            (is_in_catalogue ? " If the catalogue is out of date, an administrator can run `agentbox catalogue update`."
                             : ""));
  }
  if (speaks_of_context(said)) return fail(Fault::context_too_long, "cannot take a conversation this long" + suffix);
  if (status >= 400 && status < 500) {
    return fail(Fault::bad_request, "refused the request (status " + std::to_string(status) + ")" + suffix);
  }
  return fail(Fault::upstream_error, "answered with status " + std::to_string(status) + suffix);
}

Failure Upstream::failure_of(const web::Error& error, bool was_sent) const {
  if (error.kind == web::Kind::too_large) return bad_answer("sent an answer of more than 8 MB.");
  const bool late = error.kind == web::Kind::timeout;
  auto failure = late ? fail(Fault::timeout, "did not answer in time.")
                      : fail(Fault::unreachable, "cannot be reached: " + quoted(error.message));
  failure.may_be_billed = was_sent;
  return failure;
}

web::FetchRequest Upstream::request(std::string method, std::string path, web::FetchHeaders headers,
                                    std::string body) const {
  web::FetchRequest request{.url = settings_.base_url + path,
                            .method = std::move(method),
                            .headers = std::move(headers),
                            .body = std::move(body)};
  if (!request.body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  request.timeout = settings_.timeout;
  request.connect_timeout = std::min(request.connect_timeout, settings_.timeout);
  request.max_bytes = answer_bytes;
  return request;
}

web::Task<Outcome<std::string>> Upstream::ask(std::string method, std::string path, web::FetchHeaders headers,
                                              std::string body, web::CallOrigin origin) const {
  auto outgoing = request(std::move(method), std::move(path), std::move(headers), std::move(body));
  outgoing.origin = std::move(origin);
  outgoing.headers.emplace_back("Accept", "application/json");
  bool was_sent = false;
  outgoing.on_sending = [&was_sent] { was_sent = true; };
  auto response = co_await web::fetch(std::move(outgoing));
  if (!response) co_return failure_of(response.error(), was_sent);
  if (response->status != 200) co_return failure_of(response->status, response->body, response->header("retry-after"));
  co_return std::move(response->body);
}

web::Task<Outcome<PassedAnswer>> Upstream::pass(PassedRequest passed, web::FetchHeaders headers,
                                                web::CallOrigin origin) const {
  auto outgoing = request("POST", std::move(passed.path), std::move(headers), {});
  outgoing.body = std::move(passed.body);
  outgoing.headers.emplace_back("Content-Type", std::move(passed.content_type));
  outgoing.origin = std::move(origin);
  outgoing.timeout = 10 * settings_.timeout;
  outgoing.max_bytes = passed_bytes;
  bool was_sent = false;
  outgoing.on_sending = [&was_sent] { was_sent = true; };
  auto response = co_await web::fetch(std::move(outgoing));
  if (!response) co_return failure_of(response.error(), was_sent);
  if (response->status != 200) co_return failure_of(response->status, response->body, response->header("retry-after"));
  co_return PassedAnswer{.content_type = response->header("content-type"), .body = std::move(response->body)};
}

web::Task<Outcome<Upstream::Streamed>> Upstream::stream(std::string path, web::FetchHeaders headers, std::string body,
                                                        OnEvent on_event, web::CallOrigin origin) const {
  using namespace boost::asio::experimental::awaitable_operators;
  auto outgoing = request("POST", std::move(path), std::move(headers), std::move(body));
  outgoing.origin = std::move(origin);
  outgoing.headers.emplace_back("Accept", "text/event-stream");
  outgoing.timeout = std::chrono::milliseconds(0);
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto first_token = settings_.first_token.value_or(settings_.timeout);
  Silence silence{.limit = first_token, .timer = web::Timer(executor)};
  int status = 0;
  std::string type, retry_after, whole;
  // Comments and pings do not begin an answer.
  bool has_begun = false, has_ended = false, was_sent = false;
  EventReader events([&](std::string_view event, std::string_view data) {
    has_begun = has_begun || event != "ping";
    return on_event(event, data);
  });
  outgoing.on_sending = [&was_sent] { was_sent = true; };
  outgoing.on_head = [&](int code, const web::FetchHeaders& head) {
    status = code;
    type = header(head, "content-type");
    retry_after = header(head, "retry-after");
    return true;
  };
  outgoing.sink = [&](std::string_view bytes) {
    if (status == 200 && type.starts_with("text/event-stream")) {
      if (has_ended) return true;
      has_ended = !events.feed(bytes);
      if (has_begun || has_ended) silence.since = Clock::now();
      const auto limit = has_ended ? time_to_end : has_begun ? settings_.timeout : first_token;
      if (limit != std::exchange(silence.limit, limit)) silence.timer.cancel();
      return true;
    }
    whole += bytes;
    return status == 200 || whole.size() < error_bytes;
  };
  auto fetching = web::fetch(std::move(outgoing));
  auto watching = until_too_long(silence);
  auto ended = co_await (std::move(fetching) || std::move(watching));
  if (has_ended) co_return Streamed{};
  if (ended.index() == 1) {
    auto failure = fail(Fault::timeout, has_begun ? "stopped in the middle of its answer." : "did not answer in time.");
    failure.may_be_billed = was_sent;
    co_return failure;
  }
  const auto& response = std::get<0>(ended);
  if (status != 0 && status != 200) co_return failure_of(status, whole, retry_after);
  if (!response) co_return failure_of(response.error(), was_sent);
  if (!type.starts_with("text/event-stream") && whole.find_first_not_of(" \r\n\t") == whole.npos)
    co_return bad_answer("sent an empty answer of type '" + quoted(type) + "'.");
  co_return Streamed{.whole = std::move(whole)};
}

}  // namespace models
