#pragma once

#include <boost/asio/thread_pool.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/invites/invites.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace invites {

// What the rows depend on; all of it must outlive them.
struct Services {
  Invites& invites;
  const groups::Groups& groups;
  const accounts::Accounts& accounts;
  audit::Audit& audit;
  boost::asio::thread_pool& blocking;
};

struct GenerateRequest {
  std::optional<web::Integer<1, 100>> count;
  std::optional<web::Integer<1, 10'000>> uses;
  std::optional<web::Integer<1, 3'650>> expiresInDays;
  std::optional<web::Text<1, 40>> plan;
  std::optional<web::Text<1, 64>> group;
  std::optional<web::Text<1, 200>> note;
};
BOOST_DESCRIBE_STRUCT(GenerateRequest, (), (count, uses, expiresInDays, plan, group, note))

struct GeneratedView {
  bool success = true;
  std::string code;
  std::vector<std::string> codes;
  std::int64_t uses = 1;
  std::optional<std::string> plan, group;
  store::Time expiresAt;
};
BOOST_DESCRIBE_STRUCT(GeneratedView, (), (success, code, codes, uses, plan, group, expiresAt))

struct ValidateRequest {
  web::Text<1, 100> code;
};
BOOST_DESCRIBE_STRUCT(ValidateRequest, (), (code))

struct PassView {
  bool valid = true;
  std::string inviteCode;
  std::optional<std::string> plan;
  store::Time expiresAt;
};
BOOST_DESCRIBE_STRUCT(PassView, (), (valid, inviteCode, plan, expiresAt))

struct InviteQuery {
  std::optional<web::Integer<1, 1'000>> limit;
  std::optional<web::Text<1, 40>> after;
};
BOOST_DESCRIBE_STRUCT(InviteQuery, (), (limit, after))

struct InviteView {
  std::string id;
  std::int64_t uses, used;
  std::optional<std::string> plan, group, groupName;
  std::string note;
  store::Time createdAt, expiresAt;
};
BOOST_DESCRIBE_STRUCT(InviteView, (), (id, uses, used, plan, group, groupName, note, createdAt, expiresAt))

struct InviteList {
  std::vector<InviteView> invites;
  std::optional<std::string> next;  // `after` of the next page
};
BOOST_DESCRIBE_STRUCT(InviteList, (), (invites, next))

struct RegistrationView {
  accounts::RegistrationMode registration;
};
BOOST_DESCRIBE_STRUCT(RegistrationView, (), (registration))

// Making and using invite codes, on both listeners; what registration asks for, on the web; the administrator's list,
// on the backend.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace invites
