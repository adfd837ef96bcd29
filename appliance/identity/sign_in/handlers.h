#pragma once

#include "appliance/identity/sign_in/routes.h"
#include "web/routes/endpoint.h"

namespace sign_in {

web::Answer verify_second_factor(const Services&, const web::Request&, second_factor::Proof);

}  // namespace sign_in
