#include "appliance/ai/openai_provider.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <charconv>

#include "appliance/ai/openai_wire.h"
#include "web/fetch.h"

namespace ai {

namespace json = boost::json;

namespace {

constexpr std::size_t answer_bytes = 8u << 20;
constexpr std::size_t quoted_bytes = 300;  // of an upstream's own words
constexpr auto listing_lifetime = std::chrono::seconds(60);

// The upstream's own sentence about what is wrong: {error: {message}}, {error: "..."} or {message}; else empty.
std::string upstream_message(std::string_view body) {
  boost::system::error_code error;
  const auto value = json::parse(body, error);
  const auto* object = error ? nullptr : value.if_object();
  if (!object) return {};
  const auto* inner = object->if_contains("error");
  if (inner && inner->is_string()) return std::string(inner->get_string());
  const auto* holder = inner && inner->is_object() ? inner->if_object() : object;
  const auto* message = holder->if_contains("message");
  return message && message->is_string() ? std::string(message->get_string()) : std::string();
}

// One line of at most quoted_bytes, cut between characters, without the key should an upstream echo it.
std::string quotable(std::string text, const std::string& key) {
  if (!key.empty()) {
    for (auto at = text.find(key); at != text.npos; at = text.find(key, at)) text.replace(at, key.size(), "[key]");
  }
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

bool speaks_of_context(std::string_view message) {
  std::string lower(message);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const auto* phrase : {"context length", "context_length", "context size", "context window", "maximum context",
                             "too many tokens", "prompt is too long"}) {
    if (lower.find(phrase) != lower.npos) return true;
  }
  return false;
}

std::optional<std::chrono::seconds> parse_retry_after(std::string_view text) {
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

std::string without_trailing_slash(std::string url) {
  while (!url.empty() && url.back() == '/') url.pop_back();
  return url;
}

OpenAiSettings normalized(OpenAiSettings settings) {
  settings.base_url = without_trailing_slash(std::move(settings.base_url));
  return settings;
}

}  // namespace

OpenAiProvider::OpenAiProvider(OpenAiSettings settings) : settings_(normalized(std::move(settings))) {}

Failure OpenAiProvider::fail(Fault fault, std::string_view what) const {
  return {.fault = fault, .message = "The model provider '" + settings_.name + "' " + std::string(what)};
}

Failure OpenAiProvider::failure_of(int status, std::string_view body, const std::string& retry_after) const {
  const auto said = quotable(upstream_message(body), settings_.key);
  const auto suffix = said.empty() ? "." : ": " + said;
  if (status == 429) {
    auto failure = fail(Fault::rate_limited, "is rate limited" + suffix);
    failure.retry_after = parse_retry_after(retry_after);
    return failure;
  }
  if (status == 401 || status == 403) return fail(Fault::bad_key, "refused the configured key" + suffix);
  if (status == 503 || status == 529) return fail(Fault::overloaded, "is overloaded" + suffix);
  if (status == 408 || status == 504) return fail(Fault::timeout, "did not answer in time" + suffix);
  if (speaks_of_context(said)) return fail(Fault::context_too_long, "cannot take a conversation this long" + suffix);
  if (status >= 400 && status < 500) {
    return fail(Fault::bad_request, "refused the request (status " + std::to_string(status) + ")" + suffix);
  }
  return fail(Fault::upstream_error, "answered with status " + std::to_string(status) + suffix);
}

web::Task<Outcome<std::string>> OpenAiProvider::exchange(std::string method, std::string path, std::string body) {
  web::FetchRequest request{.url = settings_.base_url + path, .method = std::move(method), .body = std::move(body)};
  request.headers.emplace_back("Accept", "application/json");
  if (!request.body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  if (!settings_.key.empty()) request.headers.emplace_back("Authorization", "Bearer " + settings_.key);
  request.timeout = settings_.timeout;
  request.max_bytes = answer_bytes;
  auto response = co_await web::fetch(std::move(request));
  if (!response) {
    const auto& error = response.error();
    if (error.kind == web::Kind::timeout) co_return fail(Fault::timeout, "did not answer in time.");
    if (error.kind == web::Kind::too_large) co_return fail(Fault::bad_answer, "sent an answer of more than 8 MB.");
    co_return fail(Fault::unreachable, "cannot be reached: " + quotable(error.message, settings_.key));
  }
  if (response->status != 200) co_return failure_of(response->status, response->body, response->header("retry-after"));
  co_return std::move(response->body);
}

web::Task<Outcome<std::vector<ModelInfo>>> OpenAiProvider::models() {
  {
    const std::lock_guard lock(mutex_);
    if (std::chrono::steady_clock::now() < listed_until_) co_return listed_;
  }
  const auto body = co_await exchange("GET", "/models", {});
  if (!body) co_return body.error();
  boost::system::error_code error;
  const auto value = json::parse(*body, error);
  const auto* object = error ? nullptr : value.if_object();
  const auto* data = object ? object->if_contains("data") : nullptr;
  if (!data || !data->is_array()) co_return fail(Fault::bad_answer, "sent a list of models that is not one.");
  std::vector<ModelInfo> listed;
  for (const auto& entry : data->get_array()) {
    const auto* model = entry.if_object();
    const auto* id = model ? model->if_contains("id") : nullptr;
    if (id && id->is_string()) listed.push_back({.id = std::string(id->get_string()), .provider = settings_.name});
  }
  const std::lock_guard lock(mutex_);
  listed_ = listed;
  listed_until_ = std::chrono::steady_clock::now() + listing_lifetime;
  co_return listed;
}

web::Task<Outcome<std::string>> OpenAiProvider::choose_model(std::string asked) {
  if (!settings_.only_listed) co_return asked.empty() ? settings_.default_model : asked;
  if (!settings_.default_model.empty() && (asked.empty() || asked == settings_.default_model)) {
    co_return settings_.default_model;
  }
  const auto listed = co_await models();
  if (!listed) {
    // A server may serve a model it does not list; only without any name is there nothing to ask for.
    if (!settings_.default_model.empty()) co_return settings_.default_model;
    co_return listed.error();
  }
  for (const auto& model : *listed) {
    if (model.id == asked) co_return asked;
  }
  if (!settings_.default_model.empty()) co_return settings_.default_model;
  if (listed->empty()) co_return fail(Fault::bad_answer, "lists no models: load one, or name one with LOCAL_MODEL.");
  co_return listed->front().id;
}

web::Task<Outcome<ChatAnswer>> OpenAiProvider::complete(ChatRequest request) {
  auto model = co_await choose_model(request.model);
  if (!model) co_return model.error();
  request.model = std::move(*model);
  auto body = co_await exchange("POST", "/chat/completions", json::serialize(openai::to_wire(request)));
  if (!body) co_return body.error();
  auto answer = openai::parse_answer(*body, request);
  if (!answer) co_return fail(Fault::bad_answer, quotable(answer.error().message, settings_.key) + ".");
  answer->provider = settings_.name;
  co_return std::move(*answer);
}

}  // namespace ai
