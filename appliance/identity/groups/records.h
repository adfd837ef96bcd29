// Groups of users, and who is in them.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"
#include "store/table.h"
#include "web/ascii.h"

namespace groups {

struct Group {
  std::string id;  // gr_ and 20 random characters
  std::string name;
  std::string claim;                                 // the identity provider's name of the group; empty: none
  std::optional<std::string> plan;                   // of members who have none when they join
  std::optional<std::vector<std::string>> models;    // that members' calls may go to; nothing: those of the plan
  std::optional<std::vector<std::string>> channels;  // kinds that members' agents may have; nothing: all
  store::Time created_at, updated_at;
  std::string external_id;  // the identity provider's, of SCIM; empty: none
};
BOOST_DESCRIBE_STRUCT(Group, (), (id, name, claim, plan, models, channels, created_at, updated_at, external_id))

// Names differ in more than the case of ASCII letters.
inline std::optional<std::string> name_key(const Group& group) {
  std::string key;
  for (const char letter : group.name) key += web::to_lower(letter);
  return key;
}

inline const store::Global<Group> table{{.family = "groups", .number = 225},
                                        &Group::id,
                                        {{1, "name", true, false, name_key},
                                         store::unique<Group>(2, "claim", &Group::claim),
                                         store::index<Group>(3, "external", &Group::external_id)}};

// Who has made a user a member: an administrator, also by an invitation, or the identity provider, by its claim, which
// also ends it, or by SCIM.
BOOST_DEFINE_ENUM_CLASS(Source, admin, provider, scim, invitation)

struct Membership {
  std::string id;  // <group>/<user>
  std::string group;
  std::int64_t user = 0;
  Source source = Source::admin;
  store::Time since;
};
BOOST_DESCRIBE_STRUCT(Membership, (), (id, group, user, source, since))

inline const store::Global<Membership> memberships{
    {.family = "group_members", .number = 226},
    &Membership::id,
    {store::index<Membership>(1, "group", &Membership::group), store::index<Membership>(2, "user", &Membership::user)}};

}  // namespace groups
