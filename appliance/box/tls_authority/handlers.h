#pragma once

#include "appliance/box/tls_authority/routes.h"
#include "web/routes/endpoint.h"

namespace tls_authority {

web::Answer show(const Services&, const web::Request&);

}  // namespace tls_authority
