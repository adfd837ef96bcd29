#include "appliance/models/demo/demo.h"

#include <algorithm>

#include "appliance/billing/usage/period.h"
#include "appliance/models/builtin/builtin.h"
#include "appliance/models/call_handle.h"

namespace models::demo {

namespace {

constexpr const char* demo_agent = "demo-chat";

web::Error limit_reached(store::Time now) {
  web::Error error{.kind = web::Kind::too_many, .message = "Too many requests"};
  error.extra["retryAfter"] = std::chrono::ceil<std::chrono::seconds>(usage::next_day(now) - now).count();
  return error;
}

web::Error to_demo_error(const web::Error& error) {
  if (error.kind == web::Kind::unavailable || error.kind == web::Kind::not_found)
    return web::unavailable("Demo unavailable — none of its models can be reached at the moment.", error.message);
  if (error.kind != web::Kind::too_many) return web::internal("Failed to get response", error.message);
  web::Error limited = error;
  limited.message = "Too many requests";
  return limited;
}

}  // namespace

std::vector<DemoModel> Demo::models() const {
  const auto catalogue = gateway_.catalogues().current();
  std::vector<DemoModel> models;
  for (const auto& id : catalogue->demo_models()) {
    const auto& model = *catalogue->find(id);
    if (gateway_.router().server_of(model, usage::demo_user))
      models.push_back({.id = model.id, .name = model.name, .provider = model.provider});
  }
  if (!models.empty()) return models;
  if (gateway_.providers().local()) return {{.id = "local", .name = "Local model", .provider = "local"}};
  if (gateway_.providers().find("builtin"))
    return {{.id = std::string(builtin_model), .name = "Builtin", .provider = "builtin"}};
  return {};
}

std::string Demo::default_model(const std::vector<DemoModel>& models) const {
  const auto preferred = gateway_.catalogues().current()->demo_default();
  const bool has_preferred = std::ranges::find(models, preferred, &DemoModel::id) != models.end();
  return has_preferred ? preferred : models.front().id;
}

std::vector<std::string> Demo::only(const std::string& model) const {
  const auto catalogue = gateway_.catalogues().current();
  return catalogue->find(model) ? catalogue->demo_models() : std::vector<std::string>();
}

web::Task<web::Result<ChatAnswer>> Demo::answer(ChatRequest request, std::string model, std::string visitor) {
  const auto now = store::now();
  const auto most = max_prompt_tokens(request) + answer_tokens;
  if (!visitors_.admit(visitor, most, limits_.tokens, now)) co_return limit_reached(now);
  request.max_tokens = answer_tokens;
  auto only_these = only(model);
  // "local" stands for any model of the local server, as in agents' configurations.
  ModelCall call{.request = std::move(request),
                 .query = {.model = std::move(model), .only = std::move(only_these)},
                 .payer = {.user = usage::demo_user,
                           .plan = billing::Plan::network,
                           .is_admin = true,
                           .agent = demo_agent,
                           .key = {},
                           .key_budget = {},
                           .daily_tokens = limits_.tokens,
                           .daily_cost = limits_.cost.units()}};
  auto handle = co_await CallHandle::start(gateway_, std::move(call), false);
  auto answer = co_await handle.answer();
  if (!answer) co_return to_demo_error(answer.error());
  visitors_.give_back(visitor, most - answer->usage.input - answer->usage.output, now);
  co_return std::move(*answer);
}

}  // namespace models::demo
