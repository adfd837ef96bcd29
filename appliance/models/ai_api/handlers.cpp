#include "appliance/models/ai_api/handlers.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "web/routes/reply.h"

namespace models::ai_api {

namespace json = boost::json;

namespace {

// The contract has prices as JSON numbers; the ledger never uses them.
double number(usage::Money amount) { return std::strtod(amount.to_string().c_str(), nullptr); }

std::string timestamp() { return web::iso8601(store::now()); }

ModelView view(const ListedModel& model) {
  ModelView view{.id = model.id,
                 .name = model.name,
                 .provider = model.provider,
                 .description = model.description,
                 .tags = model.tags,
                 .available = model.available};
  if (model.entry) {
    view.inputCost = number(model.entry->price.input);
    view.outputCost = number(model.entry->price.output);
    view.contextWindow = model.entry->context;
  }
  return view;
}

}  // namespace

web::Answer show_health(const Services& services, const web::Request&) {
  const auto now = Breaker::Clock::now();
  json::object providers, circuits;
  bool any = false, any_serves = false, all = true;
  for (const auto& name : services.gateway.providers().names()) {
    const bool configured = services.gateway.providers().find(name) != nullptr;
    const auto circuit = services.gateway.providers().breaker(name).whole().state(now);
    providers[name] = configured && circuit != Circuit::open;
    if (!configured) continue;
    circuits[name] = boost::describe::enum_to_string(circuit, "");
    any = true;
    any_serves = any_serves || circuit != Circuit::open;
    all = all && circuit == Circuit::closed;
  }
  if (!any_serves) {
    const auto* reason = any ? "No configured provider answers at the moment" : "No provider is configured";
    co_return web::json(json::object{{"status", "error"},
                                     {"error", reason},
                                     {"providers", std::move(providers)},
                                     {"circuits", std::move(circuits)},
                                     {"timestamp", timestamp()}},
                        503);
  }
  co_return web::json(json::object{{"status", all ? "healthy" : "degraded"},
                                   {"providers", std::move(providers)},
                                   {"circuits", std::move(circuits)},
                                   {"timestamp", timestamp()}});
}

web::Answer list_models(const Services& services, const web::Request&) {
  const auto models = co_await services.gateway.models();
  AllModels answer{.timestamp = timestamp()};
  std::map<std::string, std::int64_t> counts;
  for (const auto& model : models) {
    answer.models.push_back(view(model));
    ++counts[model.provider];
  }
  answer.count = static_cast<std::int64_t>(answer.models.size());
  auto response = web::reply(answer);
  auto& body = std::get<std::string>(response.body);
  // The counts by provider are further members of the same object.
  body.pop_back();
  for (const auto& [provider, count] : counts) {
    body += ',';
    web::write_json(body, provider);
    body += ':';
    web::write_json(body, count);
  }
  body += '}';
  co_return response;
}

web::Answer list_provider_models(const Services& services, const web::Request& request) {
  ProviderModels answer{.provider = request.param("provider"), .timestamp = timestamp()};
  bool known = std::ranges::count(services.gateway.providers().names(), answer.provider) > 0;
  const auto models = co_await services.gateway.models();
  for (const auto& model : models) {
    // The router serves the whole catalogue.
    const bool routed = answer.provider == "openrouter" && model.entry;
    if (model.provider != answer.provider && !routed) continue;
    known = true;
    answer.models.push_back(view(model));
  }
  if (!known) co_return web::not_found("No such provider");
  answer.count = static_cast<std::int64_t>(answer.models.size());
  co_return web::reply(answer);
}

web::Answer select_model(const Services& services, const web::Request& request, SelectionQuery query) {
  const auto task = query.taskType && !query.taskType->empty() ? std::string(*query.taskType) : "general";
  billing::Payer payer{.plan = billing::Plan::network};
  if (const auto plan = billing::plan_named(request.header("x-user-plan"))) payer.plan = *plan;
  const auto catalogue = services.gateway.catalogues().current();
  ModelQuery model_query{.task = task};
  const auto chosen = co_await services.gateway.router().choose(std::move(model_query), payer, *catalogue);
  if (!chosen) co_return web::not_found("No models are available");
  const auto& first = chosen->front();
  auto id = first.id;
  if (const auto local = services.gateway.providers().local(); id.empty() && local)
    if (auto own = co_await local->choose_model({})) id = std::move(*own);
  const Selected answer{
      .model = {.id = id.empty() ? "default" : std::move(id), .provider = std::string(first.provider->name())},
      .taskType = task,
      .timestamp = timestamp()};
  co_return web::reply(answer);
}

web::Answer estimate_cost(const Services& services, const web::Request&, EstimateQuery query) {
  Estimate answer{.model = query.model,
                  .inputTokens = query.inputTokens,
                  .outputTokens = query.outputTokens,
                  .timestamp = timestamp()};
  const auto models = co_await services.gateway.models();
  const auto found = std::ranges::find(models, answer.model, &ListedModel::id);
  if (found == models.end()) co_return unknown_model(answer.model);
  if (found->entry) answer.estimatedCost = number(found->entry->price.of(answer.inputTokens, answer.outputTokens));
  co_return web::reply(answer);
}

web::Answer reload_catalogue(const Services& services, const web::Request& request) {
  const auto catalogue = services.gateway.catalogues().reload();
  auto entry = audit::of_request(request, "model catalogue reloaded by admin", "");
  if (!catalogue) entry.outcome = catalogue.error().message;
  co_await services.audit.note(std::move(entry));
  if (!catalogue) co_return web::invalid("catalogue.json: " + catalogue.error().message);
  const Reloaded answer{.models = static_cast<std::int64_t>((*catalogue)->models().size())};
  co_return web::reply(answer);
}

}  // namespace models::ai_api
