#include "appliance/hosting/schedule/routes.h"

#include <functional>

#include "appliance/hosting/schedule/descriptions.h"
#include "appliance/hosting/schedule/handlers.h"
#include "appliance/identity/key_scopes/key_guards.h"

namespace schedule {

namespace {

const web::RateLimit tasks_rate{.group = "scheduled-tasks", .limit = 100};

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  using agentbox::About;
  using key_scopes::Scope;
  const auto& owner = agentbox::session_or_key(guards, Scope::schedules, About::account);
  const auto& scheduler = agentbox::session_or_key(guards, Scope::schedules, About::agent);
  return {
      {web::GET, "/api/scheduled-tasks", scheduler, &tasks_rate,
       web::query<ListQuery>(on(list_tasks)).returns<TaskList>(), "List the caller's scheduled prompts, newest first"},
      {web::POST, "/api/scheduled-tasks", scheduler, &tasks_rate,
       web::body<CreateRequest>(on(create_task)).returns<TaskItem>(201).describe(descriptions::create),
       "Schedule a prompt to an agent"},
      {web::PUT, "/api/scheduled-tasks", owner, &tasks_rate,
       web::body<UpdateRequest>(on(update_task)).returns<TaskItem>().describe(descriptions::update),
       "Change a scheduled prompt"},
      {web::DELETE, "/api/scheduled-tasks", owner, &tasks_rate,
       web::body_or_query<TaskQuery>(on(remove_task)).returns<TaskRemoved>().describe(descriptions::remove),
       "Delete a scheduled prompt"},
      {web::GET, "/api/scheduled-tasks/preview", owner, &tasks_rate,
       web::query<PreviewQuery>(on(preview_runs)).returns<PreviewAnswer>().describe(descriptions::preview),
       "Preview the next five runs of an expression"},
      {web::GET, "/api/scheduled-tasks/:taskId", owner, &tasks_rate, web::plain(on(show_task)).returns<TaskDetail>(),
       "Show a scheduled prompt with its next five runs"},
      {web::POST, "/api/scheduled-tasks/:taskId/run", owner, &tasks_rate,
       web::plain(on(run_task)).returns<RunItem>(202).describe(descriptions::run), "Run a scheduled prompt now"},
      {web::GET, "/api/scheduled-tasks/:taskId/runs", owner, &tasks_rate,
       web::query<HistoryQuery>(on(list_runs)).returns<RunList>().describe(descriptions::history),
       "List the runs of a scheduled prompt, newest first"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& token = guards.agent_token;
  return {
      {web::GET, "/api/agent-tasks", token, nullptr, web::plain(on(list_agent_tasks)).returns<TaskList>(),
       "List the prompts scheduled for the calling agent, newest first"},
      {web::POST, "/api/agent-tasks", token, nullptr,
       web::body<AgentTaskRequest>(on(create_agent_task))
           .returns<TaskItem>(201)
           .describe(descriptions::create_agent_task),
       "Schedule a prompt for the calling agent"},
      {web::DELETE, "/api/agent-tasks/:taskId", token, nullptr,
       web::plain(on(remove_agent_task)).returns<TaskRemoved>(), "Delete a prompt scheduled for the calling agent"},
  };
}

}  // namespace schedule
