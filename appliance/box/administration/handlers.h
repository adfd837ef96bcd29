#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "appliance/box/administration/settings_file.h"
#include "appliance/box/administration/step_up.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace administration {

// What the rows depend on; all of it must outlive them.
struct Services {
  StepUp& step_up;
  SettingsFile& settings_file;
  audit::Audit& audit;
};

struct SteppedUp {
  bool success = true;
  store::Time validUntil;
};
BOOST_DESCRIBE_STRUCT(SteppedUp, (), (success, validUntil))

struct SettingView {
  std::string name, type, help;
  std::optional<std::string> value;
  bool isSet = false, isSecret = false;
  agentbox::SettingSource source = agentbox::SettingSource::defaults;
  bool isPending = false;              // another value comes into force with the next start
  std::optional<std::string> pending;  // that value; not set for secrets
  bool isLive = false;                 // changes are in force at once
  std::optional<std::string> locked;   // why it cannot be changed here
};
BOOST_DESCRIBE_STRUCT(SettingView, (),
                      (name, type, help, value, isSet, isSecret, source, isPending, pending, isLive, locked))

struct SettingChange {
  web::Text<1, 100> name;
  std::optional<web::Text<0, 4'000>> value;
};
BOOST_DESCRIBE_STRUCT(SettingChange, (), (name, value))

struct ChangedSetting {
  bool success = true;
  SettingView setting;
};
BOOST_DESCRIBE_STRUCT(ChangedSetting, (), (success, setting))

struct SettingList {
  std::vector<SettingView> settings;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(SettingList, (), (settings, count))

// POST /api/auth/step-up. The backend's admin rows are added to those of the web by admin_rows.h.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/settings.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace administration
