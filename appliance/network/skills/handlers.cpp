#include "appliance/network/skills/handlers.h"

#include "appliance/network/skills/runs.h"

namespace skills {

namespace {

using web::Request;

std::optional<std::int64_t> limit_of(const Services& services, const web::Caller& caller) {
  const auto held = services.subscriptions.active(caller.user_id);
  if (!held || caller.admin) return std::nullopt;
  return billing::limits(held->plan).skills;
}

Use use_of(std::string skill, UseRequest body) {
  Use use{.skill = std::move(skill)};
  if (body.agentId) use.agent = std::move(*body.agentId);
  if (body.inputs) use.inputs = std::move(*body.inputs);
  if (body.prompt) use.prompt = std::move(*body.prompt);
  return use;
}

}  // namespace

web::Answer list_skills(const Services& services, const Request& request, ListQuery query) {
  const auto own = services.installer.list(request.caller.user_id);
  SkillList answer{.installed = std::int64_t(own.size()), .limit = limit_of(services, request.caller)};
  for (const auto& skill : services.catalogue.list()) {
    auto item = view(*skill, own);
    if (query.agentId && std::ranges::count(item.installedFor, std::string(*query.agentId)) == 0) continue;
    answer.skills.push_back(std::move(item));
  }
  answer.count = std::int64_t(answer.skills.size());
  co_return web::reply(answer, 200);
}

web::Answer install_skill(const Services& services, const Request& request, InstallRequest body) {
  const auto name = std::string(body.name);
  auto done = co_await services.installer.install(request.caller, name, std::move(body.agentId));
  if (!done) co_return done.error();
  const auto current = services.catalogue.find(name);
  co_return web::reply(view(std::move(done->installation), current.get()), done->is_new ? 201 : 200);
}

web::Answer show_skill(const Services& services, const Request& request) {
  const auto skill = services.catalogue.find(request.param("name"));
  if (!skill) co_return no_such_skill();
  co_return web::reply(detail(*skill, services.installer.list(request.caller.user_id, skill->name)), 200);
}

web::Answer use_skill(const Services& services, const Request& request, UseRequest body) {
  const bool waits = body.wait.value_or(true);
  auto started = co_await services.runs.start(request.caller, use_of(request.param("name"), std::move(body)));
  if (!started) co_return started.error();
  if (!waits) {
    auto answer = web::reply(view(started->run), 202);
    services.runs.finish_later(std::move(*started));
    co_return answer;
  }
  auto run = co_await services.runs.finish(std::move(*started));
  co_return web::reply(view(std::move(run)), 200);
}

web::Answer uninstall_skill(const Services& services, const Request& request, UninstallQuery query) {
  const Uninstalled answer{.skill = request.param("name"), .agentId = query.agentId};
  const auto done = co_await services.installer.uninstall(request.caller.user_id, answer.skill, answer.agentId);
  if (!done) co_return done.error();
  co_return web::reply(answer, 200);
}

web::Answer list_runs(const Services& services, const Request& request, RunsQuery query) {
  auto found = services.runs.list(request.caller.user_id, request.param("name"));
  if (found.empty() && !services.catalogue.find(request.param("name"))) co_return no_such_skill();
  const auto limit = std::size_t(query.limit ? query.limit->value : 50);
  if (found.size() > limit) found.resize(limit);
  RunList answer;
  for (auto& run : found) answer.runs.push_back(view(std::move(run)));
  answer.count = std::int64_t(answer.runs.size());
  co_return web::reply(answer, 200);
}

web::Answer show_run(const Services& services, const Request& request) {
  auto run = services.runs.find(request.caller.user_id, request.param("name"), request.param("runId"));
  if (!run) co_return web::not_found("No such run");
  co_return web::reply(view(std::move(*run)), 200);
}

}  // namespace skills
