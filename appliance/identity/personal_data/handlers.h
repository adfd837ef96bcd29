// Handlers of the rows about leaving, with the structs of their requests and answers.
#pragma once

#include "appliance/identity/personal_data/routes.h"
#include "appliance/identity/second_factor/step_up.h"
#include "web/routes/endpoint.h"

namespace personal_data {

struct Left {
  bool success = true;
  bool erased = true;
};
BOOST_DESCRIBE_STRUCT(Left, (), (success, erased))

web::Answer export_data(const Services&, const web::Request&);
web::Answer delete_account(const Services&, const web::Request&, second_factor::StepUpProof);
// For administrators, of any user.
web::Answer export_user(const Services&, const web::Request&);
web::Answer delete_user(const Services&, const web::Request&);

}  // namespace personal_data
