#include "appliance/models/providers/openai_provider.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "appliance/models/providers/exchange.h"
#include "appliance/models/providers/openai_stream.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/wire_json.h"

namespace models {

namespace json = boost::json;

namespace {

constexpr auto listing_lifetime = std::chrono::seconds(60);
constexpr auto time_without_streams = std::chrono::minutes(10);

constexpr std::size_t max_listed = 1'000;

// A name that requests can carry and pages can show.
bool is_model_id(std::string_view id) {
  constexpr std::size_t max_bytes = 200;
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  return !id.empty() && id.size() <= max_bytes && std::ranges::none_of(id, is_control);
}

// As LM Studio, vLLM and OpenRouter name it. What llama.cpp lists is what its model was trained with.
std::int64_t listed_context(const json::object& model) {
  for (const char* name : {"loaded_context_length", "max_model_len", "context_length"})
    if (const auto tokens = token_count_in(model, name); tokens && *tokens > 0) return *tokens;
  return 0;
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
      listed.push_back(
          {.id = std::string(id->get_string()), .provider = settings_.name, .context = listed_context(*model)});
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
    co_return upstream_.fail(Fault::bad_answer, "lists no models: load one, or configure its default model.");
  co_return listed->front().id;
}

openai::Dialect OpenAiProvider::dialect() const {
  openai::Dialect dialect{.provider = settings_.name, .signs_calls = signs_calls_};
  switch (reasoning_form_.load()) {
    case ReasoningForm::thinking:
      dialect.reasoning = thinking_part_format;
      break;
    case ReasoningForm::reasoning:
      dialect.reasoning = reasoning_format;
      break;
    case ReasoningForm::reasoning_content:
      break;
    case ReasoningForm::unknown:
      if (settings_.name == "openrouter") dialect.reasoning = reasoning_format;
      break;
  }
  if (settings_.is_openai) dialect.reasoning = {};
  return dialect;
}

void OpenAiProvider::learn_dialect(const Message& answer) {
  for (const auto& block : answer.reasoning) {
    if (block.format == reasoning_content_format) reasoning_form_ = ReasoningForm::reasoning_content;
    if (block.format == reasoning_format) reasoning_form_ = ReasoningForm::reasoning;
    if (block.format == thinking_part_format) reasoning_form_ = ReasoningForm::thinking;
  }
  for (const auto& call : answer.tool_calls)
    if (!call.signature.empty()) signs_calls_ = true;
}

std::optional<std::string> OpenAiProvider::cannot(const ChatRequest& request) const {
  // A router might act on members that the box does not know, at the box's cost.
  if (settings_.is_local) return std::nullopt;
  return missing_option(request, {}, "this model's provider");
}

bool OpenAiProvider::streams_whole_answers() const { return std::chrono::steady_clock::now() >= whole_until_.load(); }

bool OpenAiProvider::learn_from(const Failure& failure, bool is_stream_for_whole) {
  if (failure.fault == Fault::bad_request && failure.message.find("stream_options") != std::string::npos)
    return stream_options_.exchange(false);
  // An error within a stream, after which the provider may charge.
  const bool is_broken = failure.fault == Fault::upstream_error && failure.may_be_billed;
  if (!is_stream_for_whole || !is_broken) return false;
  whole_until_ = std::chrono::steady_clock::now() + time_without_streams;
  return true;
}

std::string OpenAiProvider::body_of(const ChatRequest& request, bool is_streamed) const {
  std::array<unsigned char, 4096> room;  // the tree is written once and freed as a whole
  json::monotonic_resource memory(room.data(), room.size());
  auto wire = openai::to_wire(request, dialect(), &memory);
  // The router passes marks on to Claude, whose cache needs them.
  if (request.is_cached && settings_.name == "openrouter" && request.model.starts_with("anthropic/"))
    openai::mark_for_cache(wire);
  if (settings_.completion_tokens && wire.contains("max_tokens")) {
    wire["max_completion_tokens"] = wire["max_tokens"];
    wire.erase("max_tokens");
  }
  if (is_streamed) {
    wire["stream"] = true;
    if (stream_options_) wire["stream_options"] = json::object{{"include_usage", true}};
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
  const bool is_whole = !listener || !listener->is_read();
  const bool is_stream_for_whole = is_whole && settings_.is_local && streams_whole_answers();
  if (is_whole && !is_stream_for_whole) listener = nullptr;
  if (is_stream_for_whole && !listener) listener = &unheard;
  auto body = body_of(request, listener != nullptr);
  std::optional<Outcome<ChatAnswer>> answer;
  if (listener) {
    answer.emplace(co_await streamed_answer<openai::AnswerStream>(upstream_, path, headers(), std::move(body), request,
                                                                  *listener, openai::parse_answer));
  } else {
    answer.emplace(co_await whole_answer(upstream_, path, headers(), std::move(body), request, openai::parse_answer));
  }
  if (*answer) {
    learn_dialect((*answer)->message);
    co_return std::move(*answer);
  }
  auto failure = answer->error();
  failure.is_worth_repeating = failure.is_worth_repeating || learn_from(failure, is_stream_for_whole);
  co_return failure;
}

web::Task<Outcome<PassedAnswer>> OpenAiProvider::pass(PassedRequest request, web::CallOrigin origin) const {
  return upstream_.pass(std::move(request), headers(), std::move(origin));
}

web::Task<Outcome<std::string>> OpenAiProvider::embeddings(std::string body) const {
  return upstream_.ask("POST", "/embeddings", headers(), std::move(body));
}

}  // namespace models
