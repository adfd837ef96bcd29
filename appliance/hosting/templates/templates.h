// Publishing templates of agents, and making agents from them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/templates/records.h"
#include "web/protocol/http.h"
#include "web/result.h"
#include "web/task.h"

namespace accounts {
class Accounts;
}
namespace agent_files {
class AgentFiles;
}
namespace agents {
struct Agent;
class AgentDirectory;
class AgentLifecycle;
class AgentProvisioning;
}  // namespace agents
namespace groups {
class Groups;
}
namespace schedule {
class Tasks;
}

namespace templates {

struct NewTemplate {
  std::string name, description;
  std::vector<std::string> groups;
  std::vector<Question> questions;
  std::vector<std::string> paths;  // files and folders of the workspace that it has; empty: none
};

// Only what is given changes.
struct TemplateChange {
  std::optional<std::string> name, description;
  std::optional<std::vector<std::string>> groups;
  std::optional<std::vector<Question>> questions;
};

// Of an agent that is made from a template.
struct AgentRequest {
  std::string name, tier;
  std::map<std::string, std::string> answers;  // by Question::name
};

// The text with the answers in the places of {{name}}.
std::string filled(std::string text, const std::map<std::string, std::string>& answers);
web::Error too_many(std::string message);

// Callable from every thread. All references must outlive it.
class Templates {
 public:
  static constexpr std::size_t max_of_owner = 100, max_files = 200, max_bytes = 2u << 20;

  struct Parts {
    const accounts::Accounts& accounts;
    const groups::Groups& groups;
    const agents::AgentDirectory& directory;
    agents::AgentProvisioning& provisioning;
    agents::AgentLifecycle& lifecycle;
    agent_files::AgentFiles& files;
    schedule::Tasks& tasks;
  };
  Templates(store::System system, Parts parts) : system_(std::move(system)), parts_(parts) {}

  // Of one of the user's agents, as it is now. Without secrets, memory and conversations. not_found: the agent, a file,
  // or a group that the user is not in; forbidden: for all users, by somebody who is no administrator; invalid: a file
  // that is no text, or a question that is asked twice; too_many: templates, files or bytes.
  web::Task<web::Result<Template>> publish(store::UserId, std::string agent, NewTemplate);
  // What the agent's settings, schedules and files were stays. not_found unless it is the user's; else as publish().
  web::Task<web::Result<Template>> change(store::UserId, std::string id, TemplateChange);
  // not_found unless it is the user's; administrators remove any.
  web::Task<web::Result<void>> remove(store::UserId, std::string id);
  // Those that the user may use, the own ones among them.
  std::vector<Template> list(store::UserId) const;
  std::optional<Template> find(store::UserId, std::string_view id) const;
  // The agent has its files and schedules when this returns. invalid: an answer is missing. Also the errors of
  // AgentProvisioning::provision; an agent that does not get its files or schedules is removed again.
  web::Task<web::Result<agents::Agent>> make_agent(web::Caller, std::string id, AgentRequest);

 private:
  bool may_use(store::UserId, const Template&) const;
  bool is_admin(store::UserId) const;
  web::Result<void> check_groups(store::UserId, const std::vector<std::string>&) const;
  web::Task<web::Result<std::vector<TemplateFile>>> read_files(store::UserId, std::string agent,
                                                               std::vector<std::string> paths) const;
  web::Task<web::Result<void>> write_files(store::UserId, std::string agent, Template,
                                           std::map<std::string, std::string> answers) const;
  web::Task<web::Result<void>> furnish(store::UserId, std::string agent, Template, AgentRequest);

  store::System system_;
  const Parts parts_;
};

}  // namespace templates
