// What EGRESS and EGRESS_ALLOW say of connections to the outside.
#pragma once

#include "appliance/foundation/settings/settings.h"
#include "web/client/outbound.h"

namespace agentbox {

inline web::OutboundPolicy outbound_policy(const Settings& settings) {
  return {.denies = settings.egress == "deny", .allow = settings.egress_allow};
}

}  // namespace agentbox
