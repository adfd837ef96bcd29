#pragma once

#include <string>
#include <vector>

#include "appliance/network/email_in/routes.h"
#include "web/routes/endpoint.h"

namespace email_in {

struct ReceiptView {
  bool success = true;
  std::vector<std::string> delivered, ignored;
};
BOOST_DESCRIBE_STRUCT(ReceiptView, (), (success, delivered, ignored))

web::Answer receive_mail(const Services&, const web::Request&, web::BodyStream&);

}  // namespace email_in
