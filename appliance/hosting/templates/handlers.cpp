#include "appliance/hosting/templates/handlers.h"

#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/rate_groups.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace templates {

namespace {

using web::Request;

struct QuestionForm {
  web::Text<1, 40> name;
  web::Text<1, 200> label;
  std::optional<bool> required;
};
BOOST_DESCRIBE_STRUCT(QuestionForm, (), (name, label, required))

struct PublishRequest {
  web::Text<1, 100> name;
  std::optional<web::Prose<0, 2'000>> description;
  std::optional<web::List<web::Text<1, 64>, 0, 50>> groups;
  std::optional<web::List<QuestionForm, 0, 30>> questions;
  std::optional<web::List<web::Text<1, 1'024>, 0, 200>> paths;
};
BOOST_DESCRIBE_STRUCT(PublishRequest, (), (name, description, groups, questions, paths))

struct ChangeRequest {
  std::optional<web::Text<1, 100>> name;
  std::optional<web::Prose<0, 2'000>> description;
  std::optional<web::List<web::Text<1, 64>, 0, 50>> groups;
  std::optional<web::List<QuestionForm, 0, 30>> questions;
};
BOOST_DESCRIBE_STRUCT(ChangeRequest, (), (name, description, groups, questions))

struct QuestionView {
  std::string name, label;
  bool required = true;
};
BOOST_DESCRIBE_STRUCT(QuestionView, (), (name, label, required))

struct ScheduleView {
  std::string name, cronSchedule, timezone, prompt;
};
BOOST_DESCRIBE_STRUCT(ScheduleView, (), (name, cronSchedule, timezone, prompt))

struct TemplateView {
  std::string id, name, description;
  std::vector<std::string> groups;  // empty: all users
  std::string model;
  boost::json::object config;
  std::vector<ScheduleView> schedules;
  std::vector<QuestionView> questions;
  std::vector<std::string> files;
  bool own = false;  // the caller has published it
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(TemplateView, (),
                      (id, name, description, groups, model, config, schedules, questions, files, own, createdAt))

struct TemplateList {
  std::vector<TemplateView> templates;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(TemplateList, (), (templates, count))

struct MakeRequest {
  web::Text<1, 100> name;
  std::optional<web::Text<1, 20>> tier;
  std::optional<boost::json::object> answers;
};
BOOST_DESCRIBE_STRUCT(MakeRequest, (), (name, tier, answers))

struct MadeAgent {
  bool success = true;
  std::string agentId, name;
};
BOOST_DESCRIBE_STRUCT(MadeAgent, (), (success, agentId, name))

TemplateView view(Template one, store::UserId user) {
  TemplateView shown{.id = std::move(one.id),
                     .name = std::move(one.name),
                     .description = std::move(one.description),
                     .groups = std::move(one.groups),
                     .model = std::move(one.model),
                     .config = std::move(one.config),
                     .schedules = {},
                     .questions = {},
                     .files = std::move(one.files),
                     .own = one.owner == user,
                     .createdAt = one.created_at};
  for (auto& each : one.schedules)
    shown.schedules.push_back(
        {std::move(each.name), std::move(each.cron_schedule), std::move(each.timezone), std::move(each.prompt)});
  for (auto& each : one.questions)
    shown.questions.push_back({std::move(each.name), std::move(each.label), each.is_required});
  return shown;
}

web::Answer list_templates(const Services& services, const Request& request) {
  TemplateList answer;
  for (auto& one : services.templates.list(request.caller.user_id))
    answer.templates.push_back(view(std::move(one), request.caller.user_id));
  answer.count = std::int64_t(answer.templates.size());
  co_return web::reply(answer, 200);
}

web::Answer show_template(const Services& services, const Request& request) {
  auto one = services.templates.find(request.caller.user_id, request.param("template"));
  if (!one) co_return web::not_found("No such template");
  co_return web::reply(view(std::move(*one), request.caller.user_id), 200);
}

std::vector<Question> questions_of(const web::List<QuestionForm, 0, 30>& forms) {
  std::vector<Question> questions;
  for (const auto& one : forms) questions.push_back({one.name, one.label, one.required.value_or(true)});
  return questions;
}

web::Answer publish_template(const Services& services, const Request& request, PublishRequest body) {
  NewTemplate given;
  given.name = std::move(body.name);
  if (body.description) given.description = std::move(*body.description);
  if (body.groups) given.groups.assign(body.groups->begin(), body.groups->end());
  if (body.paths) given.paths.assign(body.paths->begin(), body.paths->end());
  if (body.questions) given.questions = questions_of(*body.questions);
  auto entry = audit::of_request(request, "template published", request.param("id"));
  auto one = co_await services.templates.publish(request.caller.user_id, request.param("id"), std::move(given));
  if (!one) entry.outcome = one.error().message;
  co_await services.audit.note(std::move(entry));
  if (!one) co_return one.error();
  co_return web::reply(view(std::move(*one), request.caller.user_id), 201);
}

web::Answer change_template(const Services& services, const Request& request, ChangeRequest body) {
  TemplateChange given;
  if (body.name) given.name = std::move(*body.name);
  if (body.description) given.description = std::move(*body.description);
  if (body.groups) given.groups.emplace(body.groups->begin(), body.groups->end());
  if (body.questions) given.questions = questions_of(*body.questions);
  auto entry = audit::of_request(request, "template changed", request.param("template"));
  auto one = co_await services.templates.change(request.caller.user_id, request.param("template"), std::move(given));
  if (!one) entry.outcome = one.error().message;
  co_await services.audit.note(std::move(entry));
  if (!one) co_return one.error();
  co_return web::reply(view(std::move(*one), request.caller.user_id), 200);
}

web::Answer remove_template(const Services& services, const Request& request) {
  auto entry = audit::of_request(request, "template removed", request.param("template"));
  const auto removed = co_await services.templates.remove(request.caller.user_id, request.param("template"));
  if (!removed) entry.outcome = removed.error().message;
  co_await services.audit.note(std::move(entry));
  if (!removed) co_return removed.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

web::Answer make_agent(const Services& services, const Request& request, MakeRequest body) {
  constexpr std::size_t max_answer = 4'000;
  AgentRequest asked{.name = std::move(body.name), .tier = {}, .answers = {}};
  if (body.tier) asked.tier = std::move(*body.tier);
  if (body.answers)
    for (const auto& [name, value] : *body.answers) {
      if (!value.is_string() || value.get_string().size() > max_answer)
        co_return web::invalid("answers." + std::string(name) + " must be a text of at most 4,000 bytes");
      asked.answers.emplace(name, value.get_string());
    }
  const auto agent =
      co_await services.templates.make_agent(request.caller, request.param("template"), std::move(asked));
  if (!agent) co_return agent.error();
  const MadeAgent answer{.agentId = agent->id, .name = agent->name};
  co_return web::reply(answer, 201);
}

constexpr auto publishing =
    "Of the agent as it is now: its model, the settings of its model and instructions, its owner's schedules, and the "
    "text files and folders of its workspace in `paths` (skills are in `skills/`); at most 200 files and 2 MB. Keys, "
    "channels, servers, memory, commits and conversations are not part of it. `groups` are those whose members may use "
    "it; without any it is for all users, which only administrators may decide. `questions` are what the form asks: "
    "{{name}} in instructions, prompts and files becomes the answer.";
constexpr auto making =
    "`answers` {name: text} to the template's questions. The agent has its files and schedules when this answers; if "
    "that fails, there is no agent. Limits are those of POST /api/agents/provision.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/templates", session, &hosting::agents_rate,
       web::plain(on(list_templates)).returns<TemplateList>(), "List the templates that the caller may use"},
      {web::GET, "/api/templates/:template", session, &hosting::agents_rate,
       web::plain(on(show_template)).returns<TemplateView>(), "Show a template"},
      {web::PATCH, "/api/templates/:template", session, &hosting::agents_rate,
       web::body<ChangeRequest>(on(change_template))
           .returns<TemplateView>()
           .describe("Of one that the caller has published. Only the given fields change; settings, schedules and "
                     "files stay those of the agent when it was published."),
       "Change a template"},
      {web::DELETE, "/api/templates/:template", session, &hosting::agents_rate,
       web::plain(on(remove_template)).returns<web::Succeeded>().describe("Agents made from it stay."),
       "Remove a template"},
      {web::POST, "/api/templates/:template/agents", session, &hosting::agents_rate,
       web::body<MakeRequest>(on(make_agent))
           .returns<MadeAgent>(201)
           .describe(making)
           .fails({web::Kind::payment_required, web::Kind::too_many, web::Kind::unavailable}),
       "Create an agent from a template"},
      {web::POST, "/api/agents/:id/template", session, &hosting::agents_rate,
       web::body<PublishRequest>(on(publish_template))
           .returns<TemplateView>(201)
           .describe(publishing)
           .fails({web::Kind::too_many}),
       "Publish a template of an agent"},
  };
}

}  // namespace templates
