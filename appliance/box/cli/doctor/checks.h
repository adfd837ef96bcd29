// The checks of `agentbox doctor`. They change nothing, and each takes a few seconds at most.
#pragma once

#include "appliance/box/cli/box_client.h"
#include "appliance/box/cli/doctor/finding.h"
#include "appliance/foundation/settings/settings.h"

namespace agentbox::cli::doctor {

// Owner and permissions of the data folder, the master key and the settings.
Findings check_data_folder(const Settings&);
// Disk space, descriptors, clock, time zones.
Findings check_machine(const Settings&);
// Whether the listeners' addresses are free, or the running box answers there; ports of agents.
Findings check_listeners(const Settings&, bool is_running);
// Whether ADMIN_NETWORKS shuts administrators out, and, as the running box says, whether the collector of
// AUDIT_STREAM takes entries and scheduled backups can be restored.
Findings check_access(const Settings&, const BoxClient&);
// TLS_CERT with its key, and the authorities that outgoing connections trust.
Findings check_certificates(const Settings&);
// The database of STORE_URL: version, rights, row-level security, round trip.
Findings check_store(const Settings&);
// The Docker Engine, and what keeps agents apart.
Findings check_runtime(const Settings&);
// The model servers, and the names of all hosts that the settings name.
Findings check_outside(const Settings&);
// The optional programs that agents' browsers, live streams and videos need.
Findings check_programs(const Settings&);

}  // namespace agentbox::cli::doctor
