#include "appliance/hosting/agents/handlers.h"

#include "appliance/access/key_guards.h"
#include "appliance/hosting/agents/backend_handlers.h"
#include "appliance/hosting/agents/descriptions.h"
#include "appliance/hosting/agents/detail_handlers.h"
#include "appliance/hosting/agents/lifecycle_handlers.h"
#include "appliance/hosting/agents/web_handlers.h"
#include "appliance/hosting/rate_groups.h"
#include "web/routes/precondition.h"

namespace agents {
namespace {

using hosting::agents_rate;
using hosting::instance_rate;
using web::body;
using web::DELETE;
using web::GET;
using web::PATCH;
using web::plain;
using web::POST;
using web::PUT;
using web::query;
using web::Route;

web::Result<void> require_agent(const Services& services, const Target& target, const web::Request& request) {
  const auto agent = target(services.agents.directory, request, {});
  // Other errors may be resolved by an agentId in the body.
  if (!agent && agent.error().kind == web::Kind::not_found) return agent.error();
  return {};
}

// A row whose path names an agent: one that does not exist is 404 before the body is read.
template <class Body, class Handler>
web::Endpoint body_for(const web::Bind<Services>& on, const Target& target, Handler handler) {
  return web::check_before(on(require_agent, target), body<Body>(std::move(handler)));
}

// The same six rows on both listeners.
std::vector<Route> lifecycle_routes(const std::string& prefix, const web::Guard& guard, const web::RateLimit* rate,
                                    const Target& target, const web::Bind<Services>& on) {
  const auto row = [&]<class Body>(std::string_view name,
                                   web::Answer (*handler)(const Services&, const Target&, const web::Request&, Body),
                                   const char* description, const char* summary) -> Route {
    auto endpoint = body_for<Body>(on, target, on(handler, target)).template returns<LifecycleAnswer>();
    return {
        POST,   prefix + "/" + std::string(name), guard, rate, with_agent_id(std::move(endpoint).describe(description)),
        summary};
  };
  return {
      row("start", start_agent, descriptions::lifecycle, "Start an agent"),
      row("stop", stop_agent, descriptions::lifecycle, "Stop an agent"),
      row("restart", restart_agent, descriptions::lifecycle, "Restart an agent"),
      row("repair", repair_agent, descriptions::repair, "Repair an agent"),
      row("update", update_agent, descriptions::update, "Update an agent's image or program"),
      row("reset-memory", reset_memory, descriptions::reset_memory, "Reset an agent's memory"),
  };
}

}  // namespace

std::vector<Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  using agentbox::RowScope;
  using key_scopes::Scope;
  const auto& session = guards.session;
  const auto& reader = agentbox::session_or_key(guards, Scope::agents_read);
  const auto& lister = agentbox::session_or_key(guards, Scope::agents_read, RowScope::list);
  const auto& lister_if_any = agentbox::session_or_key_if_any(guards, Scope::agents_read, RowScope::list);
  const auto& writer = agentbox::session_or_key(guards, Scope::agents_write);
  const auto& creator = agentbox::session_or_key(guards, Scope::agents_write, RowScope::account);
  const auto by_id = own_agent("id");
  const auto by_user = own_agent("userId");
  const auto list = on(list_agents, std::make_shared<ListCache>());
  std::vector<Route> table{
      {GET, "/api/agents", lister_if_any, &agents_rate,
       query<ListRequest>(list).returns<AgentList>().describe(descriptions::list),
       "The caller's agents; none without a session"},
      {POST, "/api/agents/provision", creator, &agents_rate,
       body<ProvisionRequest>(on(provision_agent)).returns<ProvisionAnswer>(201), "Create and start an agent"},
      {GET, "/api/agents/provision", lister, &agents_rate,
       query<ListRequest>(list).returns<AgentList>().describe(descriptions::list), "The caller's agents"},
      {GET, "/api/agents/:id", reader, &agents_rate, plain(on(show_agent)).returns<DetailAnswer>(), "One agent"},
      {PATCH, "/api/agents/:id", writer, &agents_rate,
       body_for<PatchRequest>(on, by_id, on(patch_agent, by_id)).returns<PatchAnswer>().describe(descriptions::patch),
       "Change an agent's name, model or parts of its config"},
      {DELETE, "/api/agents/:id", writer, &agents_rate, plain(on(delete_agent)).returns<DeletedAgent>(),
       "Stop an agent and remove everything it has"},
      {GET, "/api/agents/:id/open", session, &agents_rate, plain(on(open_agent)).describe(descriptions::open),
       "Open an agent in the browser"},
      {GET, "/api/instance/:userId", reader, &instance_rate,
       with_agent_id(plain(on(show_instance, by_user)).returns<InstanceAnswer>().describe(descriptions::instance)),
       "State of an agent's process"},
      {GET, "/api/agents/:id/config", reader, &agents_rate,
       plain(on(show_config, by_id)).returns<ConfigAnswer>().describe(descriptions::config), "An agent's config"},
      {PUT, "/api/agents/:id/config", writer, &agents_rate,
       body_for<ConfigRequest>(on, by_id, on(replace_config, by_id))
           .returns<ConfigAnswer>()
           .describe(descriptions::replace_config),
       "Replace an agent's config"},
      {GET, "/api/agents/:id/token", session, &agents_rate,
       plain(on(show_token, by_id)).returns<TokenAnswer>().describe(descriptions::token), "An agent's gateway token"},
      {POST, "/api/agents/:id/rotate-token", session, &agents_rate,
       plain(on(rotate_token, by_id)).returns<RotateAnswer>().describe(descriptions::rotate_token),
       "Replace an agent's gateway token"},
      {GET, "/api/agents/:id/stats", reader, &agents_rate,
       plain(on(show_stats, by_id)).returns<StatsAnswer>().describe(descriptions::stats), "An agent's resource usage"},
      {GET, "/api/agents/:id/verify", reader, &agents_rate,
       plain(on(show_verification, by_id)).returns<VerificationAnswer>(), "An agent's verification"},
      {POST, "/api/agents/:id/verify", writer, &agents_rate,
       body_for<VerifyRequest>(on, by_id, on(verify_own, by_id)).returns<VerificationAnswer>(), "Verify an agent"},
      {DELETE, "/api/agents/:id/verify", writer, &agents_rate,
       plain(on(remove_verification, by_id)).returns<VerificationAnswer>(), "Remove an agent's verification"},
      {GET, "/api/instance/:userId/stats", reader, &instance_rate,
       with_agent_id(plain(on(show_stats, by_user)).returns<StatsAnswer>().describe(descriptions::stats)),
       "An agent's resource usage"},
  };
  web::append(table, lifecycle_routes("/api/instance/:userId", writer, &instance_rate, by_user, on));
  return table;
}

std::vector<Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.agents;
  const auto target = any_agent();
  std::vector<Route> table{
      {GET, "/api/agents", key, nullptr,
       query<ListQuery>(on(list_all_agents)).returns<std::vector<BackendItem>>().describe(descriptions::list_all),
       "Agents of the box"},
      {POST, "/api/agents", key, nullptr,
       body<CreateRequest>(on(create_agent)).returns<CreatedAgent>(201).describe(descriptions::create),
       "Create an agent"},
      {GET, "/api/agents/:id", key, nullptr, plain(on(show_any_agent)).returns<Detail>(), "One agent"},
      {PUT, "/api/agents/:id", key, nullptr, body_for<EditRequest>(on, target, on(edit_agent)).returns<EditedAgent>(),
       "Change an agent's plan, provider or config"},
      {DELETE, "/api/agents/:id", key, nullptr, plain(on(delete_any_agent)).returns<DeletedAgent>(),
       "Stop an agent and remove everything it has"},
      {GET, "/api/agents/:id/config", key, nullptr,
       plain(on(show_config, target)).returns<ConfigAnswer>().describe(descriptions::config), "An agent's config"},
      {PUT, "/api/agents/:id/config", key, nullptr,
       body_for<ConfigRequest>(on, target, on(replace_config, target))
           .returns<ConfigAnswer>()
           .describe(descriptions::replace_config),
       "Replace an agent's config"},
      {GET, "/api/agents/:id/token", guards.backend.agents_secrets, nullptr,
       plain(on(show_token, target)).returns<TokenAnswer>().describe(descriptions::token), "An agent's gateway token"},
      {POST, "/api/agents/:id/rotate-token", guards.backend.agents_secrets, nullptr,
       plain(on(rotate_token, target)).returns<RotateAnswer>().describe(descriptions::rotate_token),
       "Replace an agent's gateway token"},
      {GET, "/api/agents/:id/stats", key, nullptr,
       plain(on(show_stats, target)).returns<StatsAnswer>().describe(descriptions::stats), "An agent's resource usage"},
      {GET, "/api/agents/:id/verification", key, nullptr,
       plain(on(show_verification, target)).returns<VerificationAnswer>(), "An agent's verification"},
      {POST, "/api/agents/:id/verify", key, nullptr,
       body_for<BackendVerifyRequest>(on, target, on(verify_any, target)).returns<VerificationAnswer>(),
       "Verify an agent"},
      {DELETE, "/api/agents/:id/verify", key, nullptr,
       plain(on(remove_verification, target)).returns<VerificationAnswer>(), "Remove an agent's verification"},
      {GET, "/api/runtime/version", guards.none, nullptr, plain(on(show_version)).returns<Version>(),
       "Version of the agent runtime"},
      {GET, "/api/runtime/instances", key, nullptr,
       query<ListQuery>(on(list_instances)).returns<InstanceList>().describe(descriptions::list_all),
       "Agents and their status"},
      {GET, "/api/runtime/instances/:id/stats", key, nullptr,
       plain(on(show_stats, target)).returns<StatsAnswer>().describe(descriptions::stats), "An agent's resource usage"},
  };
  web::append(table, lifecycle_routes("/api/agents/:id", key, nullptr, target, on));
  return table;
}

}  // namespace agents
