// What the sign-in page may offer.
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "appliance/identity/sign_in_methods/routes.h"
#include "web/routes/endpoint.h"

namespace sign_in_methods {

struct ProviderView {
  std::string id, name, url;
};
BOOST_DESCRIBE_STRUCT(ProviderView, (), (id, name, url))

struct MethodsView {
  bool password = true, wallet = true, socialId = false;
  std::vector<ProviderView> providers;
  std::string registration;
  bool sendsMail = false;
};
BOOST_DESCRIBE_STRUCT(MethodsView, (), (password, wallet, socialId, providers, registration, sendsMail))

web::Answer show_methods(const Services&, const web::Request&);

}  // namespace sign_in_methods
