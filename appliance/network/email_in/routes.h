#pragma once

#include <string>
#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/network/email_in/inbox.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace email_in {

// What the rows depend on; all of it must outlive them.
struct Services {
  Inbox& inbox;
  const std::string& signing_key;                   // empty: every mail is refused
  const std::vector<std::string>& allowed_senders;  // as EMAIL_ALLOWED_SENDERS
};

// The webhook of a service that receives mail.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace email_in
