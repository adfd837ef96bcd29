// Installs skills for agents: a record, and a copy in the agent's workspace.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/network/skills/catalogue.h"
#include "appliance/network/skills/records.h"
#include "web/result.h"
#include "web/task.h"

namespace skills {

inline web::Error no_such_skill() { return web::not_found("No such skill"); }

// Thread-safe. All arguments must outlive it; blocking file access runs on `files`.
class Installer {
 public:
  // `folder`: data/agents.
  Installer(store::System system, const Catalogue& catalogue, const billing::Subscriptions& subscriptions,
            std::filesystem::path folder, boost::asio::thread_pool& files)
      : system_(std::move(system)),
        catalogue_(catalogue),
        subscriptions_(subscriptions),
        folder_(std::move(folder)),
        files_(files) {}

  // The agent has the skill from its next turn on. Brings the copy up to date if it is there already. not_found: no
  // such skill, or the agent is not the caller's. too_many with `current`, `limit` and SKILL_LIMIT_REACHED: the plan's
  // number of installations, which does not concern administrators. payment_required: there is no plan. conflict: the
  // box itself carries out the skill.
  struct Installed {
    Installation installation;
    bool is_new = true;
  };
  web::Task<web::Result<Installed>> install(web::Caller, std::string skill, std::string agent);
  // The same for a skill that is not the catalogue's. Of `origin`, everything that says where it comes from is set.
  web::Task<web::Result<Installed>> install_package(web::Caller, SkillPtr, std::string agent, Package origin);
  // not_found.
  web::Task<web::Result<void>> uninstall(store::UserId, std::string skill, std::string agent);

  // By agent, of one skill or of all.
  std::vector<Installation> list(store::UserId, const std::string& skill = {}) const;
  std::optional<Installation> find(store::UserId, std::string_view skill, std::string_view agent) const;

  // For Events::agent_removed; the workspace goes with the agent.
  web::Task<> forget(store::UserId, std::string agent);
  // Completes what the end of the box interrupted.
  web::Task<> recover();

 private:
  web::Task<web::Result<Installed>> put(web::Caller, SkillPtr, std::string agent, std::optional<Package>);
  web::Result<std::optional<std::int64_t>> limit_of(const web::Caller&) const;
  web::Task<web::Result<Installation>> write(Installation, SkillPtr, std::vector<std::string> before);
  web::Task<> erase(store::UserId, std::string id);
  std::filesystem::path workspace_of(const std::string& agent) const { return folder_ / agent / "workspace"; }

  store::System system_;
  const Catalogue& catalogue_;
  const billing::Subscriptions& subscriptions_;
  const std::filesystem::path folder_;
  const store::Time began_ = store::now();  // what is older was left by an earlier process
  boost::asio::thread_pool& files_;
};

}  // namespace skills
