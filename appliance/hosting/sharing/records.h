// Agents that their owners share with other users.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"
#include "store/table.h"

namespace sharing {

// Each may what the ones before may. viewer: reads the conversations that are shared. talker: has conversations of its
// own, as a peer of the agent (chat::Audience). builder: changes settings and files and has schedules of its own.
BOOST_DEFINE_ENUM_CLASS(Role, viewer, talker, builder)
// Of the model calls in a talker's turns.
BOOST_DEFINE_ENUM_CLASS(PaidBy, owner, talker)

struct Share {
  std::int64_t owner = 0;  // the agent's
  std::string id;          // sh_ and 20 random characters
  std::string agent;
  // With whom: "u7" a user, "mada@example.org" an address that was nobody's, or not verified, at the time, "ggr_..." a
  // group.
  std::string person;
  std::string email;  // as the owner gave it; empty for a group
  Role role = Role::viewer;
  PaidBy paid_by = PaidBy::owner;
  std::optional<std::int64_t> monthly_limit;  // of each person, in usage::Money's units
  std::vector<std::string> conversations;     // of the owner, that may be read
  store::Time created_at, updated_at;
};
BOOST_DESCRIBE_STRUCT(Share, (),
                      (owner, id, agent, person, email, role, paid_by, monthly_limit, conversations, created_at,
                       updated_at))

inline const store::Owned<Share> table{
    {.family = "agent_shares", .number = 227},
    &Share::owner,
    &Share::id,
    {store::index<Share>(1, "person", &Share::person), store::scoped<Share>(2, "agent", &Share::agent)}};

}  // namespace sharing
