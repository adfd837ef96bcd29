// /api/notifications, where users choose how they get notices, and POST /api/agent-notices, where agents give them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/notices/notices.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace notices {

// Must outlive the rows.
struct Services {
  Notices& notices;
  audit::Audit& audit;
};

struct NoticeRequest {
  web::Prose<1, 4'000> text;
  std::optional<web::Text<1, 100>> subject;
};
BOOST_DESCRIBE_STRUCT(NoticeRequest, (), (text, subject))

struct NoticeAnswer {
  std::optional<std::string> messageId;
  bool mailed = false;
  std::int64_t accounts = 0, devices = 0;  // on channels, and with push
  std::optional<store::Time> waitsUntil;
  bool silent = false;
};
BOOST_DESCRIBE_STRUCT(NoticeAnswer, (), (messageId, mailed, accounts, devices, waitsUntil, silent))

using TimeOfDay = web::Text<5, 5>;

struct PreferencesRequest {
  web::List<Way, 0, 3> ways;
  std::optional<bool> firstOnly, urgentWhenQuiet;
  std::optional<web::Text<1, 64>> timeZone;
  std::optional<TimeOfDay> quietFrom, quietUntil, digestAt;
};
BOOST_DESCRIBE_STRUCT(PreferencesRequest, (),
                      (ways, firstOnly, urgentWhenQuiet, timeZone, quietFrom, quietUntil, digestAt))

struct DeviceView {
  std::string id, name;
  store::Time createdAt;
  std::optional<store::Time> lastUsedAt;
  std::optional<std::string> error;
};
BOOST_DESCRIBE_STRUCT(DeviceView, (), (id, name, createdAt, lastUsedAt, error))

struct NoticeView {
  std::string id;
  std::optional<std::string> agentId, agentName;
  Kind kind = Kind::agent;
  std::string subject, text, path;
  std::vector<Way> sentBy;
  std::optional<store::Time> waitsUntil;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(NoticeView, (),
                      (id, agentId, agentName, kind, subject, text, path, sentBy, waitsUntil, createdAt))

struct NotificationsView {
  std::vector<Way> ways;
  bool firstOnly = false, urgentWhenQuiet = false;
  std::string timeZone;
  std::optional<std::string> quietFrom, quietUntil, digestAt;
  bool emailReady = false;
  std::string pushKey;
  std::vector<DeviceView> devices;
  std::vector<NoticeView> recent;
};
BOOST_DESCRIBE_STRUCT(NotificationsView, (),
                      (ways, firstOnly, urgentWhenQuiet, timeZone, quietFrom, quietUntil, digestAt, emailReady, pushKey,
                       devices, recent))

struct SubscriptionKeys {
  web::Text<80, 100> p256dh;
  web::Text<20, 30> auth;
};
BOOST_DESCRIBE_STRUCT(SubscriptionKeys, (), (p256dh, auth))

struct SubscriptionRequest {
  web::Text<1, 1'000> endpoint;
  SubscriptionKeys keys;
};
BOOST_DESCRIBE_STRUCT(SubscriptionRequest, (), (endpoint, keys))

struct RemovedDevice {
  std::string id;
};
BOOST_DESCRIBE_STRUCT(RemovedDevice, (), (id))

struct TestedWays {
  std::vector<Way> sentBy;
};
BOOST_DESCRIBE_STRUCT(TestedWays, (), (sentBy))

std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace notices
