// Owners' access to the workspaces of their agents.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "appliance/agent/workspace_path.h"
#include "appliance/files/explorer/explorer.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/uploads/uploads.h"
#include "store/store.h"
#include "web/admission/concurrency_limit.h"
#include "web/result.h"
#include "web/task.h"

namespace agent_files {

// Thread-safe. All arguments must outlive it. Workspaces are reached by an explorer of their own, so that users cannot
// occupy the operator's threads. The names that an agent's own file tools refuse are refused here, too.
class AgentFiles {
 public:
  // `folder`: data/agents. `hides`: the names that nobody reaches.
  AgentFiles(store::System, const agents::AgentDirectory&, uploads::Uploads&, std::filesystem::path folder,
             files::IsReserved hides = agent_process::is_reserved);

  // A user's request to one agent's files; counts towards the user's limit while it exists.
  class Access {
   public:
    Access(store::UserId given_user, std::string given_agent, std::unique_ptr<web::ConcurrencyLimit::Slot> slot)
        : user(given_user), agent(std::move(given_agent)), slot_(std::move(slot)) {}
    store::UserId user;
    std::string agent;

   private:
    std::unique_ptr<web::ConcurrencyLimit::Slot> slot_;
  };
  // not_found unless the agent is the user's; too_many beyond 8 requests of one user in progress.
  web::Result<Access> access(store::UserId, const std::string& agent);

  // Replaces the whole file within the quota of the agent's plan; see uploads::Uploads::put. Returns the normalized
  // path.
  web::Task<web::Result<std::string>> write(const Access&, std::string path, std::string content);
  // Commits everything as the user. conflict if the workspace has no repository.
  web::Task<web::Result<explorer::CommitResult>> commit(const Access&, std::string message);

  // For everything else.
  explorer::Explorer& explorer() { return explorer_; }

 private:
  git::Identity author_of(store::UserId) const;

  store::System system_;
  const agents::AgentDirectory& agents_;
  uploads::Uploads& uploads_;
  web::ConcurrencyLimit in_progress_;
  explorer::Explorer explorer_;  // last: its work uses the others
};

// A missing repository is the owner's affair and no failure of the box: a conflict instead of internal.
template <class T>
web::Result<T> for_owner(web::Result<T> result) {
  if (result || result.error().code != explorer::no_repository) return result;
  auto error = result.error();
  error.kind = web::Kind::conflict;
  error.message = "The workspace has no git repository yet: the agent makes one when it runs for the first time";
  return error;
}

}  // namespace agent_files
