// The link that the demo prints: it signs a browser on this machine in, once and for a short time. Browsers send a
// cookie to all ports of a host, so the session that this service begins at the box counts there, too.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "appliance/demo/fake_services/known_box.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace demo {

class SignInLink {
 public:
  explicit SignInLink(const KnownBox& box) : box_(box) {}

  std::vector<web::Route> routes();
  // From now on, for some minutes, the link signs in as this account. Returns its URL; empty where browsers know the
  // box by another host than this machine's. `outside` is the URL of the services. Called once.
  std::string open(Account, const std::string& outside);

 private:
  web::Answer follow(web::Request&);

  const KnownBox& box_;
  Account account_;
  std::string token_;
  std::chrono::steady_clock::time_point ends_at_;
  std::atomic<bool> is_open_ = false;  // written last in open(): what follow() reads does not change afterwards
};

}  // namespace demo
