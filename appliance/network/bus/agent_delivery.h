// Delivery to an agent itself, as a message: in a conversation for each sender, as a peer's unless it has the same
// owner (chat::Sender).
#pragma once

#include <optional>
#include <string>

#include "appliance/hosting/chat/chat.h"
#include "appliance/network/bus/delivery_worker.h"

namespace bus {

// The text that the agent gets.
std::string conversation_text(const Message&, const std::string& sender_name);

class AgentDelivery {
 public:
  // Both must outlive this.
  AgentDelivery(store::System system, chat::Chat& chat) : system_(std::move(system)), chat_(chat) {}

  // Succeeds when the agent has answered.
  web::Task<std::optional<DeliveryProblem>> deliver(const Participant&, const Message&);

 private:
  store::System system_;
  chat::Chat& chat_;
};

}  // namespace bus
