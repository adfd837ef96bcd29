#include "appliance/hosting/agents/routes/routes.h"
#include "appliance/hosting/agents/routes/target.h"
#include "appliance/hosting/agents/routes/views.h"
#include "web/endpoint.h"

namespace agents {
namespace {

using web::Request;
using web::Response;
using web::Result;
using web::Task;

struct Update : Named {
  std::optional<web::Text<1, 255>> image;
};
BOOST_DESCRIBE_STRUCT(Update, (Named), (image))

using Call = Task<Result<Agent>> (Agents::*)(store::UserId, std::string);

Result<Response> answer_of(const Result<Agent>& agent) {
  if (!agent) return agent.error();
  const Lifecycle answer{.id = agent->id, .status = agent->status};
  return web::reply(answer, 200);
}

web::Endpoint lifecycle(Agents& service, Target target, Call call, std::string description) {
  auto handle = [&service, target = std::move(target), call](Request& request, Named named) -> Task<Result<Response>> {
    const auto agent = target(request, named);
    if (!agent) co_return agent.error();
    const auto done = co_await (service.*call)(agent->owner, agent->id);
    co_return answer_of(done);
  };
  return with_agent_id(web::body<Named>(handle).returns<Lifecycle>().describe(std::move(description)));
}

web::Endpoint update(Agents& service, Target target) {
  auto handle = [&service, target = std::move(target)](Request& request, Update wanted) -> Task<Result<Response>> {
    const auto agent = target(request, wanted);
    if (!agent) co_return agent.error();
    // An image is a program that the box's operator answers for. On the backend everybody is the operator.
    const bool is_operator = request.caller.user_id == 0 || request.caller.admin;
    if (wanted.image && !is_operator) co_return web::forbidden("Only an administrator may choose another image.");
    const auto done = co_await service.update_agent(agent->owner, agent->id, std::move(wanted.image).value_or(""));
    co_return answer_of(done);
  };
  auto endpoint = web::body<Update>(handle).returns<Lifecycle>().describe(
      "Runs the agent anew in the same workspace: as a container from `image` (unless given: the box's AGENT_IMAGE) as "
      "it is now, as a process from the box's own program as it is now. When that does not get ready what ran before "
      "is "
      "brought back, and the answer is 500 with the reason, which `statusReason` keeps. Only administrators name an "
      "`image`. An agent that does not run is started.");
  return with_agent_id(std::move(endpoint));
}

constexpr auto when_done =
    "Answers when it is done; 409 when another request asked for the opposite meanwhile. Where the path holds the "
    "caller's own id, `agentId` names one of several agents.";
constexpr auto repairing =
    "Begins the watchdog's repair: the agent's process is killed, started five seconds later, and looked at thirty "
    "seconds after that. Answers at once; the agent's `watchdog` shows how it goes. One that does not run is started "
    "so. 409 while something else is being done to it.";
constexpr auto forgetting =
    "The agent forgets its conversation and the facts it has kept; its files stay, and so does the history of "
    "messages. One that runs is started again.";

// The same six rows on both listeners.
std::vector<web::Route> rows(Agents& service, const std::string& prefix, const Target& target, const web::Guard& guard,
                             const web::RateLimit* rate) {
  return {
      {web::POST, prefix + "/start", guard, rate, lifecycle(service, target, &Agents::start_agent, when_done),
       "Start an agent"},
      {web::POST, prefix + "/stop", guard, rate, lifecycle(service, target, &Agents::stop_agent, when_done),
       "Stop an agent"},
      {web::POST, prefix + "/restart", guard, rate, lifecycle(service, target, &Agents::restart_agent, when_done),
       "Restart an agent"},
      {web::POST, prefix + "/repair", guard, rate, lifecycle(service, target, &Agents::repair_agent, repairing),
       "Repair an agent"},
      {web::POST, prefix + "/update", guard, rate, update(service, target), "Update what an agent runs"},
      {web::POST, prefix + "/reset-memory", guard, rate, lifecycle(service, target, &Agents::reset_memory, forgetting),
       "Let an agent forget"},
  };
}

const web::RateLimit instance_rate{.group = "instance", .limit = 30};

}  // namespace

std::vector<web::Route> web_lifecycle_routes(Agents& service, const agentbox::Guards& guards) {
  return rows(service, "/api/instance/:userId", own(service, "userId"), guards.session, &instance_rate);
}

std::vector<web::Route> backend_lifecycle_routes(Agents& service, const agentbox::Guards& guards) {
  return rows(service, "/api/agents/:id", anybodys(service), guards.internal_key, nullptr);
}

}  // namespace agents
