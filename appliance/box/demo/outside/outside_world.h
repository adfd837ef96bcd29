// The world outside of a box that has no network, on this machine: a small web site, the inbox of everybody to whom the
// box sends mail, an identity provider, a card processor and a chain.
#pragma once

#include <string>

#include "appliance/box/demo/outside/card_processor.h"
#include "appliance/box/demo/outside/chain_node.h"
#include "appliance/box/demo/outside/identity_service.h"
#include "appliance/box/demo/outside/known_box.h"
#include "appliance/foundation/settings/settings.h"
#include "web/server/server.h"

namespace demo {

class OutsideWorld {
 public:
  // Serves at `listen` (host:port; port 0 picks a free one).
  explicit OutsideWorld(const std::string& listen);
  ~OutsideWorld();

  std::string url() const { return server_.url("outside"); }
  // The box's side of what is out here. Keys are new with each start.
  void add_to(agentbox::Settings&) const;
  // From now on the outside reaches the box.
  void meet(Addresses box) { box_.set(std::move(box)); }

 private:
  KnownBox box_;
  IdentityService people_{box_};
  CardProcessor cards_{box_};
  ChainNode chain_;
  web::IoPool pool_{1};
  web::Server server_{pool_};
};

}  // namespace demo
