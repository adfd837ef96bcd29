#pragma once

#include "appliance/identity/handlers.h"
#include "appliance/identity/sign_in/routes.h"

namespace sign_in {

identity::Answer verify_second_factor(const Services&, const web::Request&, second_factor::Proof);

}  // namespace sign_in
