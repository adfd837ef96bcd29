#pragma once

#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/network/email_in/inbox.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace email_in {

// What the rows depend on; all of it must outlive them.
struct Services {
  Inbox& inbox;
  const std::string& signing_key;                   // empty: every mail is refused
  const std::vector<std::string>& allowed_senders;  // as EMAIL_ALLOWED_SENDERS
};

struct ReceiptView {
  bool success = true;
  std::vector<std::string> delivered, ignored;
};
BOOST_DESCRIBE_STRUCT(ReceiptView, (), (success, delivered, ignored))

// The webhook of a service that receives mail.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace email_in
