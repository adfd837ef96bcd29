#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "appliance/box/administration/step_up.h"
#include "appliance/foundation/settings/load.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace administration {

// What the rows depend on; all of it must outlive them.
struct Services {
  StepUp& step_up;
  const agentbox::Settings& settings;
  const agentbox::SettingSources& sources;
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
};
BOOST_DESCRIBE_STRUCT(SettingView, (), (name, type, help, value, isSet, isSecret, source))

struct SettingList {
  std::vector<SettingView> settings;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(SettingList, (), (settings, count))

// POST /api/auth/step-up. The backend's admin rows are added to those of the web by admin_rows.h.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// GET /api/admin/settings.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace administration
