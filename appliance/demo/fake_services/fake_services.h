// What a box without a network meets outside, served on this machine: a small web site, the inbox of all users to whom
// the box sends mail, an identity provider, a card processor, a chain and a router to models.
#pragma once

#include <string>
#include <vector>

#include "appliance/demo/fake_services/card_processor.h"
#include "appliance/demo/fake_services/chain_node.h"
#include "appliance/demo/fake_services/identity_service.h"
#include "appliance/demo/fake_services/known_box.h"
#include "appliance/demo/fake_services/model_service.h"
#include "appliance/demo/fake_services/sign_in_link.h"
#include "appliance/foundation/settings/settings.h"
#include "web/server/server.h"

namespace demo {

class FakeServices {
 public:
  // Serves at `listen` (host:port; port 0 picks a free one).
  explicit FakeServices(const std::string& listen);
  ~FakeServices();

  std::string url() const { return server_.url("outside"); }
  // The box's settings for these services. Keys are new with each start.
  void add_to(agentbox::Settings&) const;
  // From now on the services reach the box.
  void meet(Addresses box) { box_.set(std::move(box)); }
  // Of SignInLink::open, once the box is met.
  std::string open_sign_in_link(Account account) { return link_.open(std::move(account), url()); }
  // The models of the router here, if the box is to ask it: not if it has models of its own.
  std::vector<std::string> models_of(const agentbox::Settings&) const;
  // From now on models take their time to answer.
  void slow_down() { models_.slow_down(); }

 private:
  KnownBox box_;
  IdentityService people_{box_};
  CardProcessor cards_{box_};
  ChainNode chain_;
  ModelService models_;
  SignInLink link_{box_};
  web::IoPool pool_{1};
  web::Server server_{pool_};
};

}  // namespace demo
