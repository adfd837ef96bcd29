// The backend's /api/admin rows, on the web listener too: administrators need neither a shell nor the internal key.
#pragma once

#include <functional>
#include <string>

#include "appliance/access/guards.h"
#include "appliance/foundation/platform.h"

namespace administration {

// As admin_session, for sessions whose user has proved recently to be their user; else 403, STEP_UP_REQUIRED.
web::Guard recent_admin_session(const web::Guard& admin_session,
                                std::function<bool(const std::string& session_id)> is_recent);

// For rows that are only listed and documented.
const web::Guard& documented_recent_admin_session();

// Adds the rows of /api/admin that only the backend has to those of the web. The guard of the backend's row decides
// which guard its counterpart has. Reading, and running agents, takes an administrator's session; deleting, other
// changes, and answers that contain credentials take a recent proof besides. Some that only read are open to the role
// support, too. A row whose guard has no counterpart is
// not offered. Rows that modules have on the web themselves take the recent proof, too, if they change something.
// `recent`: see recent_admin_session; the rows refer to it and to the guards.
void offer_to_administrators(const agentbox::Guards&, const web::Guard& recent, agentbox::Rows&);

}  // namespace administration
