#include "appliance/models/model_router.h"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/json.hpp>
#include <chrono>

#include "appliance/models/builtin/builtin.h"
#include "web/utf8.h"

namespace models {

namespace {

web::Error restricted(const std::string& model, const billing::Payer& payer, const Catalogue& catalogue) {
  web::Error error{
      .kind = web::Kind::forbidden,
      .message = "The model " + model + " is not part of the plan " + std::string(billing::to_string(payer.plan)),
      .code = "MODEL_RESTRICTED"};
  error.extra["success"] = false;
  boost::json::array allowed;
  for (const auto& id : catalogue.models_of(payer.plan)) allowed.emplace_back(id);
  error.extra["allowedModels"] = std::move(allowed);
  return error;
}

web::Error beyond_groups(const std::string& model, const billing::Payer& payer) {
  web::Error error{.kind = web::Kind::forbidden,
                   .message = "The model " + model + " is not one that your groups allow",
                   .code = "MODEL_RESTRICTED"};
  error.extra["success"] = false;
  error.extra["allowedModels"] = boost::json::array(payer.models->begin(), payer.models->end());
  return error;
}

web::Error unavailable_model(std::string_view name) {
  return web::unavailable("The model " + std::string(name) + " is not available: no provider of this box serves it");
}

web::Error nothing_configured() {
  return web::not_found("No model is configured: set LOCAL_MODEL_URL or the API key of a provider, or AI_BUILTIN=on");
}

// The cost of a typical request: three input tokens for one output token.
usage::Money weight(const Model& model) { return model.price.of(3'000'000, 1'000'000); }

// Tells lists of one provider apart that come with different keys.
std::string account_of(const Candidate& candidate, store::UserId user) {
  std::string account(candidate.provider->name());
  return candidate.own_key ? account + ":" + std::to_string(user) : account;
}

// Local models have no id of the box, but the name that the server has for them.
void keep_allowed(std::vector<Candidate>& chain, const billing::Payer& payer) {
  std::erase_if(chain, [&](const Candidate& candidate) {
    return !may_use(payer, candidate.id.empty() ? candidate.name_there : candidate.id);
  });
}

bool has(const std::vector<Candidate>& chain, std::string_view id) {
  return std::ranges::any_of(chain, [id](const auto& candidate) { return candidate.id == id; });
}

}  // namespace

bool names_no_model(std::string_view name) { return name.empty() || name == "auto" || name == "custom"; }

web::Error unknown_model(std::string_view name) {
  return {.kind = web::Kind::invalid,
          .message = "model " + std::string(web::utf8_prefix(name, 200)) + " is not one of this box's models",
          .code = "model_not_found"};
}

Candidate ModelRouter::through(std::string_view provider, store::UserId user) const {
  if (auto key = keys_.find(user, provider))
    return {.provider = providers_.with_own_key(provider, std::move(*key)), .own_key = true};
  return {.provider = providers_.find(provider)};
}

std::optional<Candidate> ModelRouter::server_of(const Model& model, store::UserId user) const {
  Candidate candidate;
  if (!model.direct_provider.empty()) candidate = through(model.direct_provider, user);
  const bool is_direct = candidate.provider != nullptr;
  if (!is_direct) candidate = through("openrouter", user);
  if (!candidate.provider) return std::nullopt;
  candidate.id = model.id;
  candidate.name_there = is_direct ? model.direct_name : model.id;
  candidate.model = &model;
  return candidate;
}

web::Task<web::Result<Candidate>> ModelRouter::embedder(std::string model, const billing::Payer& payer,
                                                        const Catalogue& catalogue) {
  const auto user = payer.user;
  if (!may_use(payer, model)) co_return beyond_groups(model, payer);
  if (catalogue.find(model) && !catalogue.allows(payer.plan, model)) co_return restricted(model, payer, catalogue);
  const bool names_vendor = model.find('/') != model.npos;
  Candidate candidate = through(names_vendor ? "openrouter" : "openai", user);
  if (!candidate.provider) candidate = through(names_vendor ? "openai" : "openrouter", user);
  if (providers_.local()) {
    bool is_local = !candidate.provider;
    if (!is_local) {
      const auto here = co_await listed_locally();
      is_local = here && std::ranges::find(*here, model, &ModelInfo::id) != here->end();
    }
    if (is_local) candidate = {.provider = providers_.local()};
  }
  if (!candidate.provider) co_return web::not_found("No provider of this box has such models");
  candidate.model = catalogue.find(model);
  candidate.id = candidate.name_there = std::move(model);
  co_return candidate;
}

std::optional<Candidate> ModelRouter::local() const {
  if (providers_.local()) return Candidate{.provider = providers_.local()};
  if (auto builtin = providers_.find("builtin"))
    return Candidate{.provider = std::move(builtin), .id = std::string(builtin_model)};
  return std::nullopt;
}

std::optional<Candidate> ModelRouter::on_server(std::string_view model) const {
  const auto slash = model.find('/');
  if (slash == model.npos || slash + 1 == model.size()) return std::nullopt;
  auto server = providers_.server(model.substr(0, slash));
  if (!server) return std::nullopt;
  return Candidate{
      .provider = std::move(server), .id = std::string(model), .name_there = std::string(model.substr(slash + 1))};
}

web::Task<std::optional<Candidate>> ModelRouter::server_default() {
  for (const auto& server : providers_.servers()) {
    const auto chosen = co_await server->choose_model({});
    if (!chosen) continue;
    co_return Candidate{.provider = server, .id = std::string(server->name()) + "/" + *chosen, .name_there = *chosen};
  }
  co_return std::nullopt;
}

// The named model, else the provider's primary one. The premium model, the first choice for reasoning, is always
// requested from its vendor.
web::Task<std::vector<Candidate>> ModelRouter::as_asked(const ModelQuery& query, const billing::Payer& payer,
                                                        const Catalogue& catalogue) {
  std::vector<Candidate> none;
  if (query.provider == "local") {
    auto here = providers_.local();
    if (!here || !(query.model.empty() || (co_await has_locally(query.model)).value_or(true))) co_return none;
    if (query.model.empty()) {
      auto own = co_await local_default();
      co_return own ? with_local_fallback(std::move(*own)) : none;
    }
    co_return with_local_fallback({.provider = std::move(here), .name_there = query.model});
  }
  if (const auto server = providers_.server(query.provider)) {
    auto name = query.model;
    if (auto whole = on_server(name); whole && whole->provider == server) name = whole->name_there;
    if (name.empty() || catalogue.find(name)) {
      const auto chosen = co_await server->choose_model({});
      if (!chosen) co_return none;
      name = *chosen;
    }
    std::vector<Candidate> chain{{.provider = server, .id = query.provider + "/" + name, .name_there = name}};
    co_return chain;
  }
  if (query.provider == "builtin") {
    auto builtin = query.model.empty() ? providers_.find("builtin") : nullptr;
    if (!builtin) co_return none;
    std::vector<Candidate> chain{{.provider = std::move(builtin), .id = std::string(builtin_model)}};
    co_return chain;
  }
  const auto* model = catalogue.find(query.model);
  const auto* own = catalogue.substitutes(query.provider);
  if (query.model.empty() && own) model = catalogue.find(own->primary);
  if (!model || !catalogue.allows(payer.plan, model->id) || model->id == catalogue.models_for("reasoning").front())
    co_return none;
  const bool is_router = query.provider == "openrouter";
  if (!is_router && model->direct_provider != query.provider) co_return none;
  auto candidate = through(query.provider, payer.user);
  if (!candidate.provider) co_return none;
  candidate.id = model->id;
  candidate.name_there = is_router ? model->id : model->direct_name;
  candidate.model = model;
  co_return with_fallback(std::move(candidate), payer, catalogue);
}

web::Task<std::optional<Candidate>> ModelRouter::local_default() {
  auto here = local();
  const auto local_server = providers_.local();
  if (!here || !local_server) co_return here;
  here->name_there = local_server->default_model();
  if (!here->name_there.empty()) co_return here;
  const auto listed = co_await listed_locally();
  if (!listed || listed->empty()) co_return here;
  here->name_there = listed->front().id;
  if (listed->size() == 1) co_return here;
  const auto loaded = co_await loaded_.largest(providers_.base_url("local"));
  if (loaded && std::ranges::find(*listed, *loaded, &ModelInfo::id) != listed->end()) here->name_there = *loaded;
  co_return here;
}

web::Task<std::optional<bool>> ModelRouter::has_locally(std::string_view model) {
  const auto local_server = providers_.local();
  if (!local_server) co_return false;
  if (local_server->is_configured_model(model)) co_return true;
  const auto here = co_await listed_locally();
  if (!here) co_return std::nullopt;
  co_return std::ranges::find(*here, model, &ModelInfo::id) != here->end();
}

std::vector<Candidate> ModelRouter::by_task(std::string_view task, const billing::Payer& payer,
                                            const Catalogue& catalogue) const {
  std::vector<Candidate> chain;
  const auto add = [&](const std::string& id) {
    if (!catalogue.allows(payer.plan, id) || has(chain, id)) return;
    if (auto candidate = server_of(*catalogue.find(id), payer.user)) chain.push_back(std::move(*candidate));
  };
  for (const auto& id : catalogue.models_for(task)) add(id);
  if (!chain.empty()) return chain;
  // A plan without models of the tier uses its most expensive model.
  auto allowed = catalogue.models_of(payer.plan);
  std::ranges::stable_sort(allowed, [&](const auto& one, const auto& other) {
    return weight(*catalogue.find(one)) > weight(*catalogue.find(other));
  });
  for (const auto& id : allowed) add(id);
  return chain;
}

std::vector<Candidate> ModelRouter::with_fallback(Candidate first, const billing::Payer& payer,
                                                  const Catalogue& catalogue) const {
  const auto* substitutes = catalogue.substitutes(first.provider->name());
  std::vector<Candidate> chain{std::move(first)};
  const auto named = chain.front();
  if (!substitutes) return chain;
  for (const auto* id : {&substitutes->fallback, &substitutes->primary}) {
    if (has(chain, *id) || !catalogue.allows(payer.plan, *id) || chain.size() > 1) continue;
    if (auto candidate = server_of(*catalogue.find(*id), payer.user)) chain.push_back(std::move(*candidate));
  }
  if (auto router = router_for(named)) chain.push_back(std::move(*router));
  return chain;
}

std::vector<Candidate> ModelRouter::with_local_fallback(Candidate first) const {
  const auto local_server = providers_.local();
  const bool is_local = local_server && first.provider == local_server;
  std::vector<Candidate> chain{std::move(first)};
  if (!is_local) return chain;
  const auto& fallback = local_server->fallback_model();
  if (!fallback.empty() && fallback != chain.front().name_there)
    chain.push_back({.provider = local_server, .name_there = fallback});
  return chain;
}

std::optional<Candidate> ModelRouter::router_for(const Candidate& named) const {
  auto router = providers_.find("openrouter");
  if (named.own_key || !router || named.provider == router) return std::nullopt;
  return Candidate{.provider = std::move(router), .id = named.id, .name_there = named.id, .model = named.model};
}

std::vector<Candidate> ModelRouter::among(const ModelQuery& query, const billing::Payer& payer,
                                          const Catalogue& catalogue) const {
  std::vector<Candidate> chain;
  const auto add = [&](const std::string& id) {
    const auto* model = catalogue.find(id);
    if (!model || has(chain, id) || !catalogue.allows(payer.plan, id)) return;
    auto candidate = server_of(*model, payer.user);
    if (!candidate) return;
    auto router = router_for(*candidate);
    chain.push_back(std::move(*candidate));
    if (router) chain.push_back(std::move(*router));
  };
  if (std::ranges::find(query.only, query.model) != query.only.end()) add(query.model);
  for (const auto& id : query.only) add(id);
  return chain;
}

web::Task<std::optional<std::vector<ModelInfo>>> ModelRouter::listed_locally() {
  const auto local_server = providers_.local();
  if (!local_server) co_return std::nullopt;
  if (auto cached = local_server->cached_models()) co_return cached;
  auto& breaker = providers_.breaker("local").whole();
  if (!breaker.admit(Breaker::Clock::now())) co_return std::nullopt;
  try {
    auto listed = co_await local_server->models();
    if (listed) {
      breaker.succeeded();
      co_return std::move(*listed);
    }
    breaker.failed(listed.error().fault, Breaker::Clock::now());
  } catch (...) {
    breaker.abandoned();
    throw;
  }
  co_return std::nullopt;
}

web::Task<std::optional<bool>> ModelRouter::lists(const Candidate& candidate, store::UserId user) {
  using namespace boost::asio::experimental::awaitable_operators;
  using namespace std::chrono_literals;
  auto looking = listed_.look_up(*candidate.provider, account_of(candidate, user), candidate.name_there);
  auto waiting = web::sleep_for(3s);
  const auto ended = co_await (std::move(looking) || std::move(waiting));
  const auto* listed = std::get_if<0>(&ended);
  co_return listed ? *listed : std::nullopt;
}

web::Task<std::vector<Candidate>> ModelRouter::listed_elsewhere(std::string model, const billing::Payer& payer,
                                                                const Catalogue& catalogue) {
  std::vector<Candidate> chain;
  // Plans that name their models have no others.
  if (!catalogue.allows(payer.plan, model)) co_return chain;
  const auto slash = model.find('/');
  for (const auto name : keyed_providers) {
    auto candidate = through(name, payer.user);
    if (!candidate.provider) continue;
    const bool is_router = name == "openrouter";
    const bool names_vendor = slash != model.npos && !is_router;
    if (names_vendor && model.substr(0, slash) != name) continue;
    candidate.name_there = names_vendor ? model.substr(slash + 1) : model;
    auto account = account_of(candidate, payer.user);
    const bool is_listed = co_await listed_.lists(*candidate.provider, std::move(account), candidate.name_there);
    if (!is_listed) continue;
    candidate.id = model;
    chain.push_back(std::move(candidate));
    break;
  }
  co_return chain;
}

web::Task<web::Result<std::vector<Candidate>>> ModelRouter::named(std::string model, const billing::Payer& payer,
                                                                  const Catalogue& catalogue) {
  const auto* known = catalogue.find(model);
  if (known && !catalogue.allows(payer.plan, known->id)) co_return restricted(known->id, payer, catalogue);
  if (known)
    if (auto served = server_of(*known, payer.user)) co_return with_fallback(std::move(*served), payer, catalogue);
  if (!known)
    if (auto there = on_server(model)) co_return std::vector{std::move(*there)};
  const auto is_local = co_await has_locally(model);
  if (!known && !is_local.value_or(false)) {
    if (const auto* vendors = catalogue.find_by_direct_name(model))
      co_return co_await named(vendors->id, payer, catalogue);
    auto elsewhere = co_await listed_elsewhere(model, payer, catalogue);
    if (!elsewhere.empty()) co_return elsewhere;
  }
  // A local server that does not list its models is asked for the model: its answer shows why.
  if (auto here = providers_.local(); here && is_local.value_or(!known))
    co_return with_local_fallback({.provider = std::move(here), .name_there = std::move(model)});
  if (known) co_return unavailable_model(model);
  co_return unknown_model(model);
}

bool may_use(const billing::Payer& payer, std::string_view model) {
  return !payer.models || std::ranges::find(*payer.models, model) != payer.models->end();
}

web::Task<web::Result<std::vector<Candidate>>> ModelRouter::choose(ModelQuery query, const billing::Payer& payer,
                                                                   const Catalogue& catalogue) {
  const bool names_one = !names_no_model(query.model);
  const std::string named = query.model;
  auto chain = co_await choose_any(std::move(query), payer, catalogue);
  if (!chain || !payer.models) co_return chain;
  keep_allowed(*chain, payer);
  if (!chain->empty()) co_return chain;
  if (!names_one) {
    for (const auto& model : *payer.models) {
      ModelQuery one{.model = model, .task = {}, .provider = {}, .only = {}};
      auto served = co_await choose_any(std::move(one), payer, catalogue);
      if (!served) continue;
      keep_allowed(*served, payer);
      if (!served->empty()) co_return served;
    }
  }
  co_return beyond_groups(names_one ? named : std::string("of this request"), payer);
}

web::Task<web::Result<std::vector<Candidate>>> ModelRouter::choose_any(ModelQuery query, const billing::Payer& payer,
                                                                       const Catalogue& catalogue) {
  if (!query.only.empty()) {
    auto chain = among(query, payer, catalogue);
    if (chain.empty()) co_return web::not_found("None of the models that may answer is served by this box");
    co_return chain;
  }
  if (names_no_model(query.model)) query.model.clear();
  const auto builtin = providers_.find("builtin");
  if (query.model == builtin_model && builtin) co_return std::vector{*local()};
  if (!query.provider.empty())
    if (auto chain = co_await as_asked(query, payer, catalogue); !chain.empty()) co_return chain;
  if (!query.model.empty()) co_return co_await named(query.model, payer, catalogue);
  if (query.task.empty()) {
    if (auto here = co_await local_default()) co_return with_local_fallback(std::move(*here));
    const auto* known = catalogue.find(default_model_);
    const bool is_allowed = !known || catalogue.allows(payer.plan, known->id);
    if (auto router = providers_.find("openrouter"); router && !default_model_.empty() && is_allowed) {
      co_return std::vector{
          Candidate{.provider = std::move(router), .id = default_model_, .name_there = default_model_, .model = known}};
    }
  }
  auto chain = by_task(query.task, payer, catalogue);
  if (chain.empty())
    if (auto here = co_await local_default()) chain = with_local_fallback(std::move(*here));
  if (chain.empty())
    if (auto there = co_await server_default()) chain.push_back(std::move(*there));
  if (!chain.empty()) co_return chain;
  if (!providers_.any()) co_return nothing_configured();
  co_return web::not_found("No model of this plan is served by the providers of this box");
}

std::optional<Candidate> ModelRouter::cheaper_than(const Candidate& current, const billing::Payer& payer,
                                                   const Catalogue& catalogue) const {
  const Model* cheapest = nullptr;
  for (const auto& model : catalogue.models()) {
    if (!catalogue.allows(payer.plan, model.id) || !may_use(payer, model.id)) continue;
    if (!server_of(model, payer.user)) continue;
    if (!cheapest || weight(model) < weight(*cheapest)) cheapest = &model;
  }
  const bool saves = cheapest && (!current.model || weight(*cheapest) < weight(*current.model));
  return saves ? server_of(*cheapest, payer.user) : std::nullopt;
}

}  // namespace models
