#include "appliance/hosting/templates/templates.h"

#include <algorithm>
#include <set>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/agent_provisioning.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/agents/lifecycle.h"
#include "appliance/hosting/schedule/tasks.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/groups/groups.h"
#include "store/transact.h"

namespace templates {

namespace {

constexpr std::size_t id_length = 20;
// No keys, money, channels, servers or doors for others.
constexpr std::string_view kept_settings[] = {"systemPrompt",   "temperature",     "topP",        "maxTokens",
                                              "maxRounds",      "maxTurnTokens",   "helperModel", "maxTurnSeconds",
                                              "embeddingModel", "reasoningEffort", "aiProvider",  "tools",
                                              "titles"};

boost::json::object settings_of(const boost::json::object& config) {
  boost::json::object kept;
  for (const auto name : kept_settings)
    if (const auto* value = config.if_contains(name)) kept[name] = *value;
  return kept;
}

web::Result<void> check_questions(const std::vector<Question>& questions) {
  std::set<std::string> asked;
  for (const auto& question : questions)
    if (!asked.insert(question.name).second) return web::invalid("questions: " + question.name + " is asked twice");
  return {};
}

}  // namespace

bool Templates::is_admin(store::UserId user) const {
  const auto account = parts_.accounts.find(user);
  return account && parts_.accounts.is_admin(*account);
}

bool Templates::may_use(store::UserId user, const Template& one) const {
  if (one.owner == user || one.groups.empty()) return true;
  return std::ranges::any_of(one.groups, [&](const auto& group) { return parts_.groups.has(group, user); });
}

web::Result<void> Templates::check_groups(store::UserId user, const std::vector<std::string>& named) const {
  if (is_admin(user)) {
    for (const auto& group : named)
      if (!parts_.groups.find(group)) return web::not_found("No such group");
    return {};
  }
  if (named.empty()) return web::forbidden("Only administrators publish templates for all users: name your groups");
  for (const auto& group : named)
    if (!parts_.groups.has(group, user)) return web::not_found("No such group");
  return {};
}

web::Task<web::Result<Template>> Templates::publish(store::UserId user, std::string agent_id, NewTemplate given) {
  const auto agent = parts_.directory.find(user, agent_id);
  if (!agent) co_return web::not_found();
  if (const auto good = check_groups(user, given.groups); !good) co_return good.error();
  if (const auto good = check_questions(given.questions); !good) co_return good.error();
  auto read = co_await read_files(user, agent_id, std::move(given.paths));
  if (!read) co_return read.error();
  Template one{.owner = user,
               .id = "tp_" + crypto::random_id(id_length),
               .name = std::move(given.name),
               .description = std::move(given.description),
               .groups = std::move(given.groups),
               .model = agent->model,
               .config = settings_of(agent->config),
               .schedules = {},
               .questions = std::move(given.questions),
               .files = {},
               .created_at = store::now()};
  for (const auto& task : parts_.tasks.list(user, agent_id))
    if (task.made_by.empty()) one.schedules.push_back({task.name, task.cron_schedule, task.timezone, task.prompt});
  const auto tenant = system_.tenant(user);
  if (tenant.list(table, {.limit = max_of_owner, .after = {}}).size() >= max_of_owner)
    co_return too_many("You have published too many templates");
  auto change = tenant.change();
  for (auto& file : *read) {
    one.files.push_back(file.id);
    file.id = one.id + "/" + file.id;
    change.insert(files, file);
  }
  change.insert(table, one);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) throw std::logic_error("templates: a random id was taken");
  co_return one;
}

web::Task<web::Result<Template>> Templates::change(store::UserId user, std::string id, TemplateChange given) {
  if (given.groups)
    if (const auto good = check_groups(user, *given.groups); !good) co_return good.error();
  if (given.questions)
    if (const auto good = check_questions(*given.questions); !good) co_return good.error();
  std::optional<Template> changed;
  const auto step = [&](store::Change& change) -> web::Result<void> {
    auto row = system_.find_unique(table, "template", id);
    if (!row || row->value.owner != user) return web::not_found("No such template");
    auto& one = row->value;
    if (given.name) one.name = *given.name;
    if (given.description) one.description = *given.description;
    if (given.groups) one.groups = *given.groups;
    if (given.questions) one.questions = *given.questions;
    change.update(table, *row);
    changed = std::move(one);
    return web::Result<void>();
  };
  const auto done = co_await store::transact(system_, step);
  if (!done) co_return done.error();
  co_return std::move(*changed);
}

web::Task<web::Result<void>> Templates::remove(store::UserId user, std::string id) {
  const auto step = [&](store::Change& change) -> web::Result<void> {
    const auto row = system_.find_unique(table, "template", id);
    if (!row || (row->value.owner != user && !is_admin(user))) return web::not_found("No such template");
    change.erase(table, *row);
    for (const auto& path : row->value.files)
      if (const auto file = system_.get(files, row->value.owner, id + "/" + path)) change.erase(files, *file);
    return web::Result<void>();
  };
  co_return co_await store::transact(system_, step);
}

std::vector<Template> Templates::list(store::UserId user) const {
  std::vector<Template> found;
  system_.each(table, [&](const Template& one) {
    if (may_use(user, one)) found.push_back(one);
    return true;
  });
  std::ranges::sort(found, {}, &Template::name);
  return found;
}

std::optional<Template> Templates::find(store::UserId user, std::string_view id) const {
  auto row = system_.find_unique(table, "template", std::string(id));
  if (!row || !may_use(user, row->value)) return std::nullopt;
  return std::move(row->value);
}

web::Task<web::Result<void>> Templates::furnish(store::UserId user, std::string agent, Template one,
                                                AgentRequest request) {
  co_await parts_.directory.until_settled(user, agent);
  auto writing = write_files(user, agent, one, request.answers);
  const auto written = co_await std::move(writing);
  if (!written) co_return written.error();
  for (const auto& schedule : one.schedules) {
    schedule::NewTask task{.name = schedule.name,
                           .agent = agent,
                           .cron_schedule = schedule.cron_schedule,
                           .prompt = filled(schedule.prompt, request.answers),
                           .description = {},
                           .timezone = schedule.timezone};
    auto creating = parts_.tasks.create(user, std::move(task));
    const auto created = co_await std::move(creating);
    if (!created) co_return created.error();
  }
  co_return web::Result<void>();
}

web::Task<web::Result<agents::Agent>> Templates::make_agent(web::Caller caller, std::string id, AgentRequest request) {
  auto one = find(caller.user_id, id);
  if (!one) co_return web::not_found("No such template");
  for (const auto& question : one->questions) {
    const auto answer = request.answers.find(question.name);
    const bool is_answered = answer != request.answers.end() && !answer->second.empty();
    if (question.is_required && !is_answered) co_return web::invalid("answers." + question.name + " is required");
    if (answer == request.answers.end()) request.answers[question.name];
  }
  auto config = one->config;
  if (auto* prompt = config.if_contains("systemPrompt"); prompt && prompt->is_string())
    *prompt = filled(std::string(prompt->get_string()), request.answers);
  agents::NewAgent spec{.name = request.name,
                        .model = one->model == agents::default_model ? std::string() : one->model,
                        .config = std::move(config),
                        .tier = request.tier,
                        .plan = {}};
  auto agent = co_await parts_.provisioning.provision(caller, std::move(spec));
  if (!agent) co_return agent.error();
  auto furnishing = furnish(caller.user_id, agent->id, std::move(*one), std::move(request));
  const auto furnished = co_await std::move(furnishing);
  if (!furnished) {
    auto removing = parts_.lifecycle.remove(caller.user_id, agent->id);
    co_await std::move(removing);
    co_return furnished.error();
  }
  co_return std::move(*agent);
}

}  // namespace templates
