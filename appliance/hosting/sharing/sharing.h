// Who else than its owner may do what with an agent.
//
// A talker is a peer of the agent: it has conversations, files and a memory of its own there, and gets nothing of the
// owner's or of other peers'. The owner can read what was said. What a builder schedules runs for the builder, too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/sharing/records.h"
#include "web/protocol/http.h"
#include "web/result.h"
#include "web/task.h"

namespace accounts {
class Accounts;
}
namespace agents {
class AgentDirectory;
}
namespace billing {
struct SharedTurn;
}
namespace chat {
class Conversations;
}
namespace groups {
class Groups;
}

namespace sharing {

struct NewShare {
  std::string email, group;  // one of them
  Role role = Role::viewer;
  PaidBy paid_by = PaidBy::owner;
  std::optional<std::int64_t> monthly_limit;
  std::vector<std::string> conversations;
  bool takes_unverified = false;  // also an account whose address was only typed
};

// What a user may do with an agent of another.
struct Access {
  store::UserId owner = 0;
  std::string agent;
  Role role = Role::viewer;
  PaidBy paid_by = PaidBy::owner;
  std::optional<std::int64_t> monthly_limit;
  std::vector<std::string> conversations;
};

// The name that an agent knows the person by, whichever way a message comes.
std::string peer_name(store::UserId);
// In place of a key's id, what the person uses of the agent is counted under it.
std::string person_key(store::UserId, std::string_view agent);

// Callable from every thread. All arguments must outlive it.
class Sharing {
 public:
  static constexpr std::size_t max_shares = 200;         // of an agent
  static constexpr std::size_t max_conversations = 100;  // of a share

  Sharing(store::System system, const agents::AgentDirectory& agents, const chat::Conversations& conversations,
          const accounts::Accounts& accounts, const groups::Groups& groups)
      : system_(std::move(system)),
        agents_(agents),
        conversations_(conversations),
        accounts_(accounts),
        groups_(groups) {}

  // For the owner; not_found when the agent is not the user's.

  web::Result<std::vector<Share>> list(store::UserId, const std::string& agent) const;
  // In place of the one with the same person or group. The answer is the same whether or not the address has an
  // account; one that is made later has the share once its address is verified. invalid: no address, the owner's own, a
  // conversation that is not one of the owner's; not_found: a group that the owner is not in; too_many.
  web::Task<web::Result<Share>> put(store::UserId, std::string agent, NewShare);
  web::Task<web::Result<void>> remove(store::UserId, std::string agent, std::string id);

  // For the others. Of several shares the one with the most rights counts, and all of their conversations.

  std::optional<Access> access(store::UserId, std::string_view agent) const;
  // not_found without a share; forbidden when its role is not enough, or the owner is disabled.
  web::Result<Access> require(store::UserId, std::string_view agent, Role) const;
  std::vector<Access> shared_with(store::UserId) const;

  // Who pays for this turn of the agent, if it is one of a person that the agent is shared with.
  std::optional<billing::SharedTurn> turn_of(const web::Caller& agent, std::string_view message) const;

  // For Events::agent_removed, and when a user leaves.
  web::Task<> forget(store::UserId owner, std::string agent);
  web::Task<> forget_person(store::UserId);
  // For Events::group_removed.
  void forget_group(std::string_view group, store::Change&) const;

 private:
  std::vector<Share> shares_for(store::UserId) const;
  web::Result<std::string> person_of(store::UserId owner, const NewShare&) const;

  store::System system_;
  const agents::AgentDirectory& agents_;
  const chat::Conversations& conversations_;
  const accounts::Accounts& accounts_;
  const groups::Groups& groups_;
};

}  // namespace sharing
