#include "appliance/hosting/agents/lifecycle_handlers.h"

namespace agents {
namespace {

using Operation = web::Task<web::Result<Agent>> (AgentLifecycle::*)(store::UserId, std::string);

web::Answer run(Operation operation, const Services& services, const web::Result<Agent>& target) {
  if (!target) co_return target.error();
  const auto agent = co_await (services.agents.lifecycle.*operation)(target->owner, target->id);
  co_return lifecycle_answer(agent, services.agents.addresses);
}

}  // namespace

web::Result<web::Response> lifecycle_answer(const web::Result<Agent>& agent, const AgentAddresses& addresses) {
  if (!agent) return agent.error();
  return web::reply(show<LifecycleAnswer>(view_of(*agent, addresses)), 200);
}

web::Answer start_agent(const Services& services, const Target& target, const web::Request& request, AgentQuery body) {
  co_return co_await run(&AgentLifecycle::start, services, target(services.agents.directory, request, body));
}

web::Answer stop_agent(const Services& services, const Target& target, const web::Request& request, AgentQuery body) {
  co_return co_await run(&AgentLifecycle::stop, services, target(services.agents.directory, request, body));
}

web::Answer restart_agent(const Services& services, const Target& target, const web::Request& request,
                          AgentQuery body) {
  co_return co_await run(&AgentLifecycle::restart, services, target(services.agents.directory, request, body));
}

web::Answer repair_agent(const Services& services, const Target& target, const web::Request& request, AgentQuery body) {
  co_return co_await run(&AgentLifecycle::repair, services, target(services.agents.directory, request, body));
}

web::Answer reset_memory(const Services& services, const Target& target, const web::Request& request, AgentQuery body) {
  co_return co_await run(&AgentLifecycle::reset_memory, services, target(services.agents.directory, request, body));
}

web::Answer update_agent(const Services& services, const Target& target, const web::Request& request,
                         UpdateRequest body) {
  const auto found = target(services.agents.directory, request, body);
  if (!found) co_return found.error();
  std::optional<std::string> image;
  if (body.image) image = std::move(*body.image);
  const auto agent =
      co_await services.agents.lifecycle.update(request.caller, found->owner, found->id, std::move(image));
  co_return lifecycle_answer(agent, services.agents.addresses);
}

}  // namespace agents
