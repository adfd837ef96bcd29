// Delivery to an agent's webhook, signed as standardwebhooks.com has it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/network/bus/delivery_worker.h"
#include "appliance/network/bus_keys/bus_keys.h"

namespace bus {

class Webhook {
 public:
  // Without `may_be_private` only public addresses are reached. `keys` must outlive this.
  Webhook(bus_keys::BusKeys& keys, bool may_be_private) : keys_(keys), may_be_private_(may_be_private) {}

  // Any 2xx is success; 410 ends the delivery permanently.
  web::Task<std::optional<DeliveryProblem>> deliver(const Participant&, const Message&);

 private:
  bus_keys::BusKeys& keys_;
  const bool may_be_private_;
};

}  // namespace bus
