#pragma once

#include <functional>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/hosting/installations/installations.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace installations {

// What the rows depend on; all of it must outlive them.
struct Services {
  Installations& installations;
  const billing::Subscriptions& subscriptions;
  std::function<std::string()> web_url;  // the public URL of this box
};

BOOST_DEFINE_ENUM_CLASS(Status, active, inactive)

struct RegisterRequest {
  web::Text<1, 128> userId;
  std::optional<Mode> mode;
  std::optional<web::Text<1, 512>> gatewayToken;  // accepted, as the contract has it, and not used
};
BOOST_DESCRIBE_STRUCT(RegisterRequest, (), (userId, mode, gatewayToken))

struct RegisterAnswer {
  bool success = true;
  std::string message, dashboardUrl;
};
BOOST_DESCRIBE_STRUCT(RegisterAnswer, (), (success, message, dashboardUrl))

struct InstallationView {
  std::string userId;
  Mode mode;
  store::Time registeredAt, lastSeen;
  Status status;
};
BOOST_DESCRIBE_STRUCT(InstallationView, (), (userId, mode, registeredAt, lastSeen, status))

struct InstallationQuery {
  std::optional<web::Integer<1, 10'000>> limit;
  std::optional<web::Text<1, 128>> after;
};
BOOST_DESCRIBE_STRUCT(InstallationQuery, (), (limit, after))

struct InstallationList {
  bool success = true;
  std::int64_t count = 0;
  std::vector<InstallationView> installations;
  std::optional<std::string> next;  // `after` of the next page
};
BOOST_DESCRIBE_STRUCT(InstallationList, (), (success, count, installations, next))

struct HeartbeatRequest {
  std::optional<web::Text<1, 128>> userId;
};
BOOST_DESCRIBE_STRUCT(HeartbeatRequest, (), (userId))

struct HeartbeatAnswer {
  bool success = true;
  store::Time timestamp;
};
BOOST_DESCRIBE_STRUCT(HeartbeatAnswer, (), (success, timestamp))

struct KeyAnswer {
  bool valid = true;
  std::string userId;
  std::optional<std::string> plan;
  std::vector<std::string> features;
};
BOOST_DESCRIBE_STRUCT(KeyAnswer, (), (valid, userId, plan, features))

// Registration and heartbeats of installations, on the backend.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace installations
