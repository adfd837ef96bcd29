#pragma once

#include "appliance/box/administration/routes.h"
#include "web/routes/endpoint.h"

namespace administration {

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

web::Answer show_settings(const Services&, const web::Request&);
web::Answer confirm_identity(const Services&, const web::Request&, second_factor::StepUpProof);

}  // namespace administration
