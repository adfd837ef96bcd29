// security.txt (RFC 9116): where to report vulnerabilities of this box.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/foundation/settings/settings.h"
#include "store/store.h"
#include "web/protocol/http.h"
#include "web/result.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"
#include "web/task.h"

namespace security_txt {

// Without SECURITY_EXPIRES the text is always valid for this long.
inline constexpr std::chrono::days default_lifetime{180};

// Nothing without a SECURITY_CONTACT.
std::optional<std::string> text_of(const agentbox::Settings&, store::Time now);

// Outlive the rows.
struct Services {
  const agentbox::Settings& settings;
};

web::Task<web::Result<web::Response>> show(const Services&, const web::Request&);

// GET /.well-known/security.txt
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace security_txt
