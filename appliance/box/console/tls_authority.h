// The certificate of the authority that certifies this box, for devices that are to trust it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace tls_authority {

// Outlive the rows.
struct Services {
  const std::optional<std::string>& certificate;  // PEM
};

// GET /ca.crt
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace tls_authority
