// RUN_AS: a box that root starts keeps root's rights only until its ports are open and its files are another user's.
// What needs root later, starting agents as users of their own, a helper does (sandbox/spawn_server.h).
#pragma once

#include "appliance/box/socket_activation.h"
#include "appliance/foundation/settings/settings.h"

namespace agentbox {

// Does nothing without RUN_AS, or if this process is not root. Otherwise opens the listeners on ports below 1024 that
// `sockets` lacks and adds them, ends agents that run as users of their own, gives the data folder to the user, starts
// the helper and becomes the user. Call it before there are threads. Throws UsageError.
void run_as_user(const Settings&, ActivatedSockets& sockets);

}  // namespace agentbox
