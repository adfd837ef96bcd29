#include "appliance/network/skills/installer.h"

#include "appliance/hosting/agents/records.h"
#include "appliance/network/skills/workspace_copy.h"
#include "store/transact.h"
#include "web/log.h"

namespace skills {

namespace {

constexpr std::size_t max_of_any_plan = 10'000;  // administrators are not limited

web::Error no_such_agent() { return web::not_found("No such agent"); }

web::Error limit_reached(std::int64_t current, std::int64_t limit) {
  web::Error error{.kind = web::Kind::too_many,
                   .message = "Your plan has room for " + std::to_string(limit) + " installed skills.",
                   .code = "SKILL_LIMIT_REACHED"};
  error.extra["current"] = current;
  error.extra["limit"] = limit;
  return error;
}

std::vector<std::string> paths_of(const Skill& skill) {
  std::vector<std::string> paths;
  for (const auto& file : skill.files) paths.push_back(file.path);
  return paths;
}

// Without an origin, the installation is of the catalogue.
void put_origin(const store::Tenant& tenant, store::Change& change, const Installation& installation,
                const std::optional<Package>& origin) {
  auto row = tenant.get(packages, installation.id);
  if (!origin) {
    if (row) change.erase(packages, *row);
    return;
  }
  auto package = *origin;
  package.owner = installation.owner;
  package.id = installation.id;
  package.agent = installation.agent;
  package.skill = installation.skill;
  if (row) {
    row->value = std::move(package);
    change.update(packages, *row);
  } else {
    change.insert(packages, package);
  }
}

}  // namespace

std::string installation_id(std::string_view agent, std::string_view skill) {
  return std::string(agent) + "." + std::string(skill);
}

web::Result<std::optional<std::int64_t>> Installer::limit_of(const web::Caller& caller) const {
  if (caller.admin) return std::optional<std::int64_t>();
  const auto held = subscriptions_.active(caller.user_id);
  if (!held)
    return web::Error{.kind = web::Kind::payment_required,
                      .message = "Skills need a plan: " + billing::plan_names(" or ") + ".",
                      .code = "SUBSCRIPTION_REQUIRED"};
  return std::optional<std::int64_t>(billing::limits(held->plan).skills);
}

web::Task<web::Result<Installer::Installed>> Installer::install(web::Caller caller, std::string name,
                                                                std::string agent_id) {
  const auto skill = catalogue_.find(name);
  if (!skill) co_return no_such_skill();
  if (skill->runs_on_box) co_return web::conflict("The box itself carries out this skill: it is not installed.");
  co_return co_await put(std::move(caller), skill, std::move(agent_id), std::nullopt);
}

web::Task<web::Result<Installer::Installed>> Installer::install_package(web::Caller caller, SkillPtr skill,
                                                                        std::string agent, Package origin) {
  co_return co_await put(std::move(caller), std::move(skill), std::move(agent), std::move(origin));
}

web::Task<web::Result<Installer::Installed>> Installer::put(web::Caller caller, SkillPtr skill, std::string agent_id,
                                                            std::optional<Package> origin) {
  const auto& name = skill->name;
  const auto tenant = system_.tenant(caller.user_id);
  for (;;) {
    const auto agent = tenant.get(agents::records, agent_id);
    if (!agent || agent->value.status == agents::Status::deleting) co_return no_such_agent();
    auto change = tenant.change();
    change.require(agents::records, *agent);  // the deletion of the agent searches its skills only once
    Installed done;
    std::vector<std::string> before;
    std::optional<std::int64_t> limit;
    if (auto row = tenant.get(installations, installation_id(agent_id, name))) {
      done.is_new = false;
      before = row->value.files;
      row->value.version = skill->version;
      row->value.is_complete = false;
      // Until the copy is complete, the files of both versions may be there.
      for (auto& path : paths_of(*skill))
        if (std::ranges::count(before, path) == 0) row->value.files.push_back(std::move(path));
      change.update(installations, *row);
      done.installation = std::move(row->value);
    } else {
      const auto allowed = limit_of(caller);
      if (!allowed) co_return allowed.error();
      limit = *allowed;
      done.installation = {.owner = caller.user_id,
                           .id = installation_id(agent_id, name),
                           .agent = agent_id,
                           .skill = name,
                           .version = skill->version,
                           .files = paths_of(*skill),
                           .is_complete = false,
                           .installed_at = store::now()};
      change.insert(installations, done.installation);
      change.add(caller.user_id, installed, 1, limit);
    }
    put_origin(tenant, change, done.installation, origin);
    const auto outcome = co_await change.commit();
    if (outcome.kind == store::Outcome::Kind::over_bound) co_return limit_reached(tenant.counter(installed), *limit);
    if (!outcome.ok()) continue;
    auto written = co_await write(done.installation, skill, std::move(before));
    if (!written) {
      if (done.is_new) co_await erase(caller.user_id, done.installation.id);
      co_return written.error();
    }
    done.installation = std::move(*written);
    co_return done;
  }
}

web::Task<web::Result<Installation>> Installer::write(Installation installation, SkillPtr skill,
                                                      std::vector<std::string> before) {
  const auto workspace = workspace_of(installation.agent);
  const auto work = [&] { return write_copy(workspace, *skill, before); };
  const auto written = co_await web::offload(files_, work);
  if (!written) co_return written.error();
  auto complete = [&skill](Installation& one) {
    one.version = skill->version;
    one.files = paths_of(*skill);
    one.is_complete = true;
  };
  auto now = co_await system_.tenant(installation.owner).modify(installations, installation.id, std::move(complete));
  if (!now) co_return no_such_agent();  // removed meanwhile
  co_return std::move(*now);
}

web::Task<web::Result<void>> Installer::uninstall(store::UserId user, std::string name, std::string agent) {
  const auto found = find(user, name, agent);
  if (!found) co_return web::not_found("This agent does not have the skill");
  const auto workspace = workspace_of(agent);
  const auto work = [&] { return remove_copy(workspace, name, found->files); };
  if (auto removed = co_await web::offload(files_, work); !removed) co_return removed.error();
  co_await erase(user, found->id);
  co_return web::Result<void>();
}

std::vector<Installation> Installer::list(store::UserId user, const std::string& skill) const {
  const auto tenant = system_.tenant(user);
  return skill.empty() ? tenant.list(installations, store::Page{.limit = max_of_any_plan})
                       : tenant.find(installations, "skill", skill, max_of_any_plan);
}

std::optional<Installation> Installer::find(store::UserId user, std::string_view skill, std::string_view agent) const {
  auto row = system_.tenant(user).get(installations, installation_id(agent, skill));
  if (!row) return std::nullopt;
  return std::move(row->value);
}

web::Task<> Installer::erase(store::UserId user, std::string id) {
  const auto tenant = system_.tenant(user);
  const auto erase_one = [&](store::Change& change) {
    const auto row = tenant.get(installations, id);
    if (!row) return false;
    change.erase(installations, *row);
    if (const auto origin = tenant.get(packages, id)) change.erase(packages, *origin);
    change.add(user, installed, -1);
    return true;
  };
  co_await store::transact(tenant, erase_one);
}

web::Task<> Installer::forget(store::UserId user, std::string agent) {
  for (const auto& one : system_.tenant(user).find(installations, "agent", agent, max_of_any_plan))
    co_await erase(user, one.id);
}

web::Task<> Installer::recover() {
  for (const auto& one : system_.find_range(installations, "incomplete", store::Time{}, began_)) {
    // The box keeps no archives: the owner installs it again.
    if (system_.tenant(one.owner).get(packages, one.id)) continue;
    const auto skill = catalogue_.find(one.skill);
    if (!skill) {
      co_await erase(one.owner, one.id);
      continue;
    }
    const auto written = co_await write(one, skill, one.files);
    if (!written)
      web::log::warning("skill_not_installed",
                        {{"agent", one.agent}, {"skill", one.skill}, {"reason", written.error().message}});
  }
}

}  // namespace skills
