#include "appliance/models/providers/openai_provider.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "appliance/models/providers/exchange.h"
#include "appliance/models/providers/openai_stream.h"
#include "appliance/models/providers/openai_wire.h"

namespace models {

namespace json = boost::json;

namespace {

constexpr auto listing_lifetime = std::chrono::seconds(60);

constexpr std::size_t max_listed = 1'000;

// A name that requests can carry and pages can show.
bool is_model_id(std::string_view id) {
  constexpr std::size_t most_bytes = 200;
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  return !id.empty() && id.size() <= most_bytes && std::ranges::none_of(id, is_control);
}

struct Unheard final : Listener {
  void text(std::string_view) override {}
  void call(std::size_t, std::string_view, std::string_view, std::string_view) override {}
};

UpstreamSettings upstream_of(const OpenAiSettings& settings) {
  return {.name = settings.name,
          .base_url = settings.base_url,
          .key = settings.key,
          .own_key = settings.own_key,
          .timeout = settings.timeout,
          .first_token = settings.first_token};
}

}  // namespace

OpenAiProvider::OpenAiProvider(OpenAiSettings settings)
    : settings_(std::move(settings)), upstream_(upstream_of(settings_)) {}

web::FetchHeaders OpenAiProvider::headers() const {
  web::FetchHeaders headers;
  if (!settings_.key.empty()) headers.emplace_back("Authorization", "Bearer " + settings_.key);
  return headers;
}

std::optional<std::vector<ModelInfo>> OpenAiProvider::cached_models() const {
  const std::lock_guard lock(mutex_);
  if (std::chrono::steady_clock::now() >= listed_until_) return std::nullopt;
  return listed_;
}

std::optional<std::vector<ModelInfo>> OpenAiProvider::last_listed() const {
  const std::lock_guard lock(mutex_);
  if (listed_until_ == std::chrono::steady_clock::time_point()) return std::nullopt;
  return listed_;
}

web::Task<Outcome<std::vector<ModelInfo>>> OpenAiProvider::models() {
  if (auto cached = cached_models()) co_return std::move(*cached);
  const auto body = co_await upstream_.ask("GET", "/models", headers(), {});
  if (!body) co_return body.error();
  boost::system::error_code error;
  const auto value = json::parse(*body, error);
  const auto* object = error ? nullptr : value.if_object();
  const auto* data = object ? object->if_contains("data") : nullptr;
  if (!data || !data->is_array()) co_return upstream_.fail(Fault::bad_answer, "sent a list of models that is not one.");
  std::vector<ModelInfo> listed;
  for (const auto& entry : data->get_array()) {
    const auto* model = entry.if_object();
    const auto* id = model ? model->if_contains("id") : nullptr;
    if (listed.size() == max_listed) break;
    if (id && id->is_string() && is_model_id(id->get_string()))
      listed.push_back({.id = std::string(id->get_string()), .provider = settings_.name});
  }
  const std::lock_guard lock(mutex_);
  listed_ = listed;
  listed_until_ = std::chrono::steady_clock::now() + listing_lifetime;
  co_return listed;
}

web::Task<Outcome<std::string>> OpenAiProvider::choose_model(std::string requested) {
  if (!requested.empty()) co_return requested;
  if (!settings_.is_local || !settings_.default_model.empty()) co_return settings_.default_model;
  const auto listed = co_await models();
  if (!listed) {
    auto failure = listed.error();
    failure.may_be_billed = false;  // no answer was requested yet
    co_return failure;
  }
  if (listed->empty())
    co_return upstream_.fail(Fault::bad_answer, "lists no models: load one, or name one with LOCAL_MODEL.");
  co_return listed->front().id;
}

std::string OpenAiProvider::body_of(const ChatRequest& request, bool is_streamed) const {
  std::array<unsigned char, 4096> room;  // the tree is written once and freed as a whole
  json::monotonic_resource memory(room.data(), room.size());
  auto wire = openai::to_wire(request, &memory);
  if (settings_.completion_tokens && wire.contains("max_tokens")) {
    wire["max_completion_tokens"] = wire["max_tokens"];
    wire.erase("max_tokens");
  }
  if (is_streamed) {
    wire["stream"] = true;
    wire["stream_options"] = json::object{{"include_usage", true}};
  }
  return json::serialize(wire);
}

web::Task<Outcome<ChatAnswer>> OpenAiProvider::complete(ChatRequest request, Listener* listener) {
  auto model = co_await choose_model(request.model);
  if (!model) co_return model.error();
  request.model = std::move(*model);
  const std::string path = "/chat/completions";
  // A slow local server is asked for a stream in any case: as long as it sends tokens, it is waited for.
  Unheard unheard;
  if (!listener && settings_.is_local) listener = &unheard;
  auto body = body_of(request, listener != nullptr);
  if (listener) {
    co_return co_await streamed_answer<openai::AnswerStream>(upstream_, path, headers(), std::move(body), request,
                                                             *listener, openai::parse_answer);
  }
  co_return co_await whole_answer(upstream_, path, headers(), std::move(body), request, openai::parse_answer);
}

web::Task<Outcome<std::string>> OpenAiProvider::embeddings(std::string body) const {
  return upstream_.ask("POST", "/embeddings", headers(), std::move(body));
}

}  // namespace models
