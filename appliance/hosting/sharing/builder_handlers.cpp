// For builders: the agent's settings, and its restart.
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/agents/editor.h"
#include "appliance/hosting/agents/lifecycle.h"
#include "appliance/hosting/rate_groups.h"
#include "appliance/hosting/sharing/handlers.h"
#include "appliance/identity/audit/audit.h"
#include "web/json.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace sharing {

namespace {

using web::Request;

// Members of the config that builders see and may change.
constexpr std::string_view text_settings[] = {"systemPrompt", "reasoningEffort"};

// The part of an agent that a builder may change.
struct SettingsView {
  std::string name, model;
  std::optional<std::string> systemPrompt, reasoningEffort;
  std::optional<double> temperature, topP;
  std::optional<std::int64_t> maxTokens, maxRounds;
};
BOOST_DESCRIBE_STRUCT(SettingsView, (),
                      (name, model, systemPrompt, reasoningEffort, temperature, topP, maxTokens, maxRounds))

struct SettingsChange {
  std::optional<web::Text<1, 100>> name;
  std::optional<web::Text<0, 200>> model;
  std::optional<web::Prose<0, 16'000>> systemPrompt;
  std::optional<web::Text<0, 20>> reasoningEffort;
  std::optional<web::NumberBetween<0, 2>> temperature;
  std::optional<web::NumberBetween<0, 1>> topP;
  std::optional<web::Integer<1, 1'000'000>> maxTokens;
  std::optional<web::Integer<1, 200>> maxRounds;
};
BOOST_DESCRIBE_STRUCT(SettingsChange, (),
                      (name, model, systemPrompt, reasoningEffort, temperature, topP, maxTokens, maxRounds))

SettingsView settings_of(const agents::Agent& agent) {
  SettingsView shown{.name = agent.name, .model = agent.model};
  const auto text = [&](std::string_view name) -> std::optional<std::string> {
    auto value = web::string_member(agent.config, name);
    return value.empty() ? std::nullopt : std::optional(std::move(value));
  };
  const auto number = [&](std::string_view name) -> std::optional<double> {
    const auto* value = agent.config.if_contains(name);
    if (!value || !value->is_number()) return std::nullopt;
    return value->to_number<double>();
  };
  const auto whole = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto value = number(name);
    return value ? std::optional(std::int64_t(*value)) : std::nullopt;
  };
  shown.systemPrompt = text(text_settings[0]);
  shown.reasoningEffort = text(text_settings[1]);
  shown.temperature = number("temperature");
  shown.topP = number("topP");
  shown.maxTokens = whole("maxTokens");
  shown.maxRounds = whole("maxRounds");
  return shown;
}

web::Answer show_settings(const Services& services, const Request& request) {
  const auto access = services.sharing.require(request.caller.user_id, request.param("id"), Role::builder);
  if (!access) co_return access.error();
  const auto agent = services.agents.find(access->owner, access->agent);
  if (!agent) co_return web::not_found();
  co_return web::reply(settings_of(*agent), 200);
}

agents::Patch patch_of(SettingsChange body) {
  agents::Patch patch;
  if (body.name) patch.name = std::move(*body.name);
  if (body.model) patch.model = std::move(*body.model);
  const auto set_text = [&](std::string_view name, auto& value) {
    if (!value) return;
    if (value->empty())
      patch.config[name] = nullptr;
    else
      patch.config[name] = std::string(*value);
  };
  set_text(text_settings[0], body.systemPrompt);
  set_text(text_settings[1], body.reasoningEffort);
  if (body.temperature) patch.config["temperature"] = body.temperature->value;
  if (body.topP) patch.config["topP"] = body.topP->value;
  if (body.maxTokens) patch.config["maxTokens"] = body.maxTokens->value;
  if (body.maxRounds) patch.config["maxRounds"] = body.maxRounds->value;
  return patch;
}

web::Answer change_settings(const Services& services, const Request& request, SettingsChange body) {
  const auto access = services.sharing.require(request.caller.user_id, request.param("id"), Role::builder);
  if (!access) co_return access.error();
  auto entry = audit::of_request(request, "shared agent changed", access->agent);
  const auto agent =
      co_await services.editor.patch(request.caller, access->owner, access->agent, patch_of(std::move(body)));
  if (!agent) entry.outcome = agent.error().message;
  co_await services.audit.note(std::move(entry));
  if (!agent) co_return agent.error();
  co_return web::reply(settings_of(*agent), 200);
}

web::Answer restart(const Services& services, const Request& request) {
  const auto access = services.sharing.require(request.caller.user_id, request.param("id"), Role::builder);
  if (!access) co_return access.error();
  const auto agent = co_await services.lifecycle.restart(access->owner, access->agent);
  if (!agent) co_return agent.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

constexpr auto settings_text = "Applies from the agent's next start on. Empty texts are the agent's defaults.";

}  // namespace

std::vector<web::Route> builder_rows(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/shared/:id/settings", session, &hosting::agents_rate,
       web::plain(on(show_settings)).returns<SettingsView>(), "Show a shared agent's settings, as its builder"},
      {web::PATCH, "/api/shared/:id/settings", session, &hosting::agents_rate,
       web::body<SettingsChange>(on(change_settings)).returns<SettingsView>().describe(settings_text),
       "Change a shared agent's settings, as its builder"},
      {web::POST, "/api/shared/:id/restart", session, &hosting::agents_rate,
       web::plain(on(restart)).returns<web::Succeeded>().fails({web::Kind::conflict}),
       "Restart a shared agent, as its builder"},
  };
}

}  // namespace sharing
