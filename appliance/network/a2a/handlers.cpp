#include "appliance/network/a2a/handlers.h"

#include <algorithm>

#include "appliance/hosting/agents/bus_config.h"
#include "appliance/network/a2a/calls.h"
#include "web/ascii.h"

namespace a2a {

namespace {

web::Error no_such_agent() { return web::not_found("No such agent"); }

bool is_open_to_all(const bus::Participant& agent) {
  const auto config = agents::read_bus_config(agent.config);
  return config && config->accept == agents::BusAccept::all;
}

// The caller as the agent sees it; nothing if the agent does not admit it.
std::optional<Caller> admitted(const Services& services, const bus::Participant& agent, const web::Caller& caller) {
  if (caller.agent.empty()) {
    if (caller.user_id != agent.owner && !is_open_to_all(agent)) return std::nullopt;
    return Caller{.user = caller.user_id, .agent = {}, .plan = {}};
  }
  const auto sender = bus::find_participant(services.system, caller.user_id, caller.agent);
  if (!sender || !bus::admits(agent, sender->value)) return std::nullopt;
  return Caller{.user = caller.user_id, .agent = caller.agent, .plan = sender->value.plan};
}

bool may_see_card(const Services& services, const bus::Participant& agent, const web::Request& request) {
  if (is_open_to_all(agent)) return true;
  const auto caller = services.caller_of(request);
  return caller && admitted(services, agent, *caller);
}

}  // namespace

std::optional<Addressed> agent_in_path(const Services& services, const web::Request& request) {
  auto row = bus::find_participant(services.system, request.param("agentId"));
  if (!row) return std::nullopt;
  auto url = services.web_url() + "/a2a/" + row->value.id;
  return Addressed{std::move(row->value), std::move(url)};
}

std::optional<Addressed> agent_of_host(const Services& services, const web::Request& request) {
  const auto host = web::lower_case(request.host);
  const auto suffix = "." + services.agent_domain;
  if (!host.ends_with(suffix)) return std::nullopt;
  const auto subdomain = host.substr(0, host.size() - suffix.size());
  auto row = bus::find_participant_at(services.system, subdomain);
  if (!row) return std::nullopt;
  auto url = services.agent_url(subdomain) + "/a2a";
  return Addressed{std::move(row->value), std::move(url)};
}

web::Answer show_keys(const Services& services, const web::Request&) { co_return web::json(services.signer.key_set()); }

web::Answer show_card(const Services& services, AgentOf agent_of, const web::Request& request) {
  const auto addressed = agent_of(services, request);
  if (!addressed || !may_see_card(services, addressed->agent, request)) co_return no_such_agent();
  const auto version = request.header("A2A-Version");
  const bool is_legacy = version.empty() ? request.path.ends_with(legacy_card_name) : version.starts_with("0.3");
  if (is_legacy) co_return web::json(legacy_card_of(addressed->agent, addressed->url));
  const auto keys_url = services.web_url() + "/a2a/jwks.json";
  const auto unsigned_card = card_of(addressed->agent, addressed->url);
  // Clients that do not name a version may be of either. Those of 1.0 may drop the members that they do not know before
  // they verify, so both forms are signed.
  auto card = version.empty() ? card_for_both(addressed->agent, addressed->url) : unsigned_card;
  const auto complete = card;
  services.signer.sign(card, complete, keys_url);
  if (version.empty()) services.signer.sign(card, unsigned_card, keys_url);
  co_return web::json(card);
}

web::Answer answer_call(const Services& services, AgentOf agent_of, const web::Request& request, Request body) {
  auto addressed = agent_of(services, request);
  auto caller = addressed ? admitted(services, addressed->agent, request.caller) : std::nullopt;
  if (!caller) co_return no_such_agent();
  const auto id = id_of(request.body);
  auto read = read_call(std::move(body), id, request.header("A2A-Version"));
  if (!read.call) co_return web::json(failure(id, read.error));
  co_return co_await answer(services.tasks, std::move(addressed->agent), std::move(*caller), std::move(*read.call));
}

}  // namespace a2a
