// Skills that the paid gateway sells to strangers: each is carried out by the agent that an administrator has chosen.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/network/skills/runs.h"
#include "appliance/payments/acceptance/sale.h"
#include "store/table.h"

namespace skills {

struct SkillOnSale {
  std::int64_t owner = 0;  // of the agent
  std::string skill, agent;
  store::Time since;
};
BOOST_DESCRIBE_STRUCT(SkillOnSale, (), (owner, skill, agent, since))

inline const store::Global<SkillOnSale> skills_on_sale{{.family = "skills_on_sale", .number = 130},
                                                       &SkillOnSale::skill,
                                                       {store::index<SkillOnSale>(1, "agent", &SkillOnSale::agent)}};

// Thread-safe. All arguments must outlive it.
class Sales {
 public:
  Sales(store::System system, const Catalogue& catalogue, const Installer& installer,
        const agents::AgentDirectory& directory, Runs& uses)
      : system_(std::move(system)), catalogue_(catalogue), installer_(installer), directory_(directory), runs_(uses) {}

  // not_found: no such skill or agent; invalid: the skill has no price; conflict: the agent does not have the skill.
  web::Task<web::Result<SkillOnSale>> put(std::string skill, std::string agent);
  // not_found.
  web::Task<web::Result<void>> remove(std::string skill);
  // By skill.
  std::vector<SkillOnSale> list() const;

  // For the gateway; see gateway::PrepareSkill.
  web::Task<web::Result<gateway::Sale>> prepare(std::string skill, boost::json::object inputs);
  // For Events::agent_removed.
  web::Task<> forget(std::string agent);

 private:
  web::Task<web::Result<boost::json::value>> deliver(SkillOnSale, boost::json::object inputs);

  store::System system_;
  const Catalogue& catalogue_;
  const Installer& installer_;
  const agents::AgentDirectory& directory_;
  Runs& runs_;
};

}  // namespace skills
