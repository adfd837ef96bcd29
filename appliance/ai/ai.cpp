#include "appliance/ai/ai.h"

#include "appliance/ai/builtin.h"
#include "appliance/ai/openai_provider.h"

namespace ai {

namespace {

std::unique_ptr<Provider> choose_provider(const agentbox::Settings& settings) {
  if (!settings.local_model_url.empty()) {
    return std::make_unique<OpenAiProvider>(OpenAiSettings{.name = "local",
                                                           .base_url = settings.local_model_url,
                                                           .key = settings.local_api_key,
                                                           .default_model = settings.local_model,
                                                           .only_listed = true,
                                                           .timeout = settings.ai_model_timeout});
  }
  if (!settings.openrouter_api_key.empty()) {
    return std::make_unique<OpenAiProvider>(OpenAiSettings{.name = "openrouter",
                                                           .base_url = settings.openrouter_base_url,
                                                           .key = settings.openrouter_api_key,
                                                           .default_model = settings.openrouter_model,
                                                           .timeout = settings.ai_model_timeout});
  }
  if (settings.ai_builtin) return std::make_unique<Builtin>();
  return nullptr;
}

web::Error nothing_configured() {
  return web::unavailable("No model is configured: set LOCAL_MODEL_URL or OPENROUTER_API_KEY, or AI_BUILTIN=true");
}

}  // namespace

Ai::Ai(const agentbox::Settings& settings, usage::Ledger& ledger)
    : ledger_(ledger), provider_(choose_provider(settings)) {}

Ai::~Ai() = default;

std::string_view Ai::provider() const { return provider_ ? provider_->name() : std::string_view(); }

usage::Call Ai::metered(const ChatRequest& request, const Outcome<ChatAnswer>& outcome, Who who) const {
  usage::Call call{.user_id = who.user_id, .agent = std::move(who.agent), .provider = std::string(provider_->name())};
  if (!outcome) {
    call.model = request.model.empty() ? "default" : request.model;
    call.outcome = to_string(outcome.error().fault);
    return call;
  }
  call.model = outcome->model;
  call.outcome = "ok";
  call.input_tokens = outcome->usage.input;
  call.output_tokens = outcome->usage.output;
  call.estimated = outcome->usage.estimated;
  // What runs on the box or the LAN is free; a router names dated versions of what the caller asked for.
  call.priced = provider_->name() != "openrouter";
  const auto* price = catalogue_.price(outcome->model);
  if (!price) price = catalogue_.price(request.model);
  if (!call.priced && price) {
    call.priced = true;
    call.cost =
        (usage::price_of(call.input_tokens, price->input) + usage::price_of(call.output_tokens, price->output)).units();
  }
  return call;
}

web::Task<web::Result<ChatAnswer>> Ai::complete(ChatRequest request, Who who) {
  if (!provider_) co_return nothing_configured();
  const auto at = store::now();
  const auto started = std::chrono::steady_clock::now();
  const auto outcome = co_await provider_->complete(request);
  const auto took = std::chrono::steady_clock::now() - started;
  auto call = metered(request, outcome, std::move(who));
  call.at = at;
  call.latency_ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
  co_await ledger_.record(std::move(call));
  if (!outcome) co_return to_error(outcome.error());
  co_return *outcome;
}

web::Task<web::Result<std::vector<ModelInfo>>> Ai::models() {
  if (!provider_) co_return nothing_configured();
  auto listed = co_await provider_->models();
  if (!listed) co_return to_error(listed.error());
  co_return std::move(*listed);
}

}  // namespace ai
