#include "appliance/box/capability_list.h"

#include "appliance/billing/capabilities.h"
#include "appliance/box/administration/admin_rows.h"
#include "appliance/box/capabilities.h"
#include "appliance/files/capabilities.h"
#include "appliance/hosting/capabilities.h"
#include "appliance/identity/capabilities.h"
#include "appliance/media/capabilities.h"
#include "appliance/models/capabilities.h"
#include "appliance/network/capabilities.h"
#include "appliance/payments/capabilities.h"

namespace agentbox {

namespace {

void for_each_capability(const auto& use) {
  const auto use_all = [&](const auto& list) {
    for (const auto& capability : list) use(capability);
  };
  use_all(identity::capabilities());
  use_all(billing::capabilities());
  use_all(models::capabilities());
  use_all(files::capabilities());
  use_all(hosting::capabilities());
  use_all(payments::capabilities());
  use_all(network::capabilities());
  use_all(media::capabilities());
  use_all(box::capabilities());
}

}  // namespace

std::vector<store::TableInfo> all_tables() {
  std::vector<store::TableInfo> tables;
  for_each_capability(
      [&](const auto& capability) { tables.insert(tables.end(), capability.tables.begin(), capability.tables.end()); });
  return tables;
}

Rows documented_rows(const Guards& guards) {
  Rows rows;
  for_each_capability([&](const auto& capability) { rows.add(capability.documented_rows(guards)); });
  administration::offer_to_administrators(guards, administration::documented_recent_admin_session(), rows);
  return rows;
}

}  // namespace agentbox
