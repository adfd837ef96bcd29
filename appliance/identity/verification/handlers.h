#pragma once

#include <string>

#include "appliance/identity/verification/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace verification {

struct VerifyEmail {
  web::Text<1, 100> token;
};
BOOST_DESCRIBE_STRUCT(VerifyEmail, (), (token))

struct VerifiedEmail {
  bool success = true;
  std::string email;
};
BOOST_DESCRIBE_STRUCT(VerifiedEmail, (), (success, email))

web::Answer verify_email(const Services&, const web::Request&, VerifyEmail);
web::Answer send_mail(const Services&, const web::Request&);

}  // namespace verification
