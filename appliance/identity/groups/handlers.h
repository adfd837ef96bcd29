#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/groups/groups.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace groups {

// What the rows depend on; all of it must outlive them.
struct Services {
  Groups& groups;
  const accounts::Accounts& accounts;
  audit::Audit& audit;
};

using Name = web::Text<1, 100>;
using Claim = web::Text<0, 200>;
using Plan = web::Text<0, 40>;
using Models = web::List<web::Text<1, 200>, 0, 200>;
using Channels = web::List<web::Text<1, 40>, 0, 40>;

struct NewGroup {
  Name name;
  std::optional<Claim> claim;
  std::optional<Plan> plan;
  std::optional<Models> models;
  std::optional<Channels> channels;
};
BOOST_DESCRIBE_STRUCT(NewGroup, (), (name, claim, plan, models, channels))

struct GroupChange {
  std::optional<Name> name;
  std::optional<Claim> claim;
  std::optional<Plan> plan;
  std::optional<Models> models;
  std::optional<Channels> channels;
};
BOOST_DESCRIBE_STRUCT(GroupChange, (), (name, claim, plan, models, channels))

struct GroupView {
  std::string id, name;
  std::optional<std::string> claim, plan;
  std::optional<std::vector<std::string>> models, channels;
  std::int64_t members = 0;
  store::Time createdAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(GroupView, (), (id, name, claim, plan, models, channels, members, createdAt, updatedAt))

struct GroupList {
  std::vector<GroupView> groups;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(GroupList, (), (groups, count))

struct MemberView {
  std::string userId, email, name;
  Source source = Source::admin;
  store::Time since;
};
BOOST_DESCRIBE_STRUCT(MemberView, (), (userId, email, name, source, since))

struct MemberList {
  GroupView group;
  std::vector<MemberView> members;
};
BOOST_DESCRIBE_STRUCT(MemberList, (), (group, members))

// As its members see it.
struct OwnGroup {
  std::string id, name;
};
BOOST_DESCRIBE_STRUCT(OwnGroup, (), (id, name))

struct OwnGroups {
  std::vector<OwnGroup> groups;
};
BOOST_DESCRIBE_STRUCT(OwnGroups, (), (groups))

// The caller's groups.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/groups.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace groups
