#include "appliance/hosting/schedule/routes.h"

#include <functional>

#include "appliance/hosting/schedule/descriptions.h"
#include "appliance/hosting/schedule/handlers.h"

namespace schedule {

namespace {

const web::RateLimit tasks_rate{.group = "scheduled-tasks", .limit = 100};

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/scheduled-tasks", session, &tasks_rate,
       web::query<ListQuery>(on(list_tasks)).returns<TaskList>(), "List the caller's scheduled prompts, newest first"},
      {web::POST, "/api/scheduled-tasks", session, &tasks_rate,
       web::body<CreateRequest>(on(create_task)).returns<TaskItem>(201).describe(descriptions::create),
       "Schedule a prompt to an agent"},
      {web::PUT, "/api/scheduled-tasks", session, &tasks_rate,
       web::body<UpdateRequest>(on(update_task)).returns<TaskItem>().describe(descriptions::update),
       "Change a scheduled prompt"},
      {web::DELETE, "/api/scheduled-tasks", session, &tasks_rate,
       web::body_or_query<TaskQuery>(on(remove_task)).returns<TaskRemoved>().describe(descriptions::remove),
       "Delete a scheduled prompt"},
      {web::GET, "/api/scheduled-tasks/preview", session, &tasks_rate,
       web::query<PreviewQuery>(on(preview_runs)).returns<PreviewAnswer>().describe(descriptions::preview),
       "Preview the next five runs of an expression"},
      {web::GET, "/api/scheduled-tasks/:taskId", session, &tasks_rate, web::plain(on(show_task)).returns<TaskDetail>(),
       "Show a scheduled prompt with its next five runs"},
      {web::POST, "/api/scheduled-tasks/:taskId/run", session, &tasks_rate,
       web::plain(on(run_task)).returns<RunItem>(202).describe(descriptions::run), "Run a scheduled prompt now"},
      {web::GET, "/api/scheduled-tasks/:taskId/runs", session, &tasks_rate,
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
