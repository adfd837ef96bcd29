// The skill instant-split: divides a payment of an agent's wallet among recipients, and waits until it is paid.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/payments/splits/splits.h"
#include "appliance/payments/wallets/wallets.h"
#include "web/result.h"
#include "web/task.h"

namespace skills {

struct SplitOrder {
  std::string agent, name;
  payments::Usdc total;
  std::vector<splits::Request::Part> recipients;
};

// Callable from every thread; all arguments must outlive it.
class InstantSplit {
 public:
  InstantSplit(splits::Splits& splits, wallets::Wallets& wallets, const agents::AgentDirectory& agents)
      : splits_(splits), wallets_(wallets), agents_(agents) {}

  // Durable once it is stored, whatever becomes of the caller. Returns when it is settled or failed, at the latest
  // after `patience`: then it is still queued or processing. not_found: the agent is not the user's; invalid as for
  // Splits::create.
  static constexpr std::chrono::seconds patience{15};
  web::Task<web::Result<splits::Split>> make(store::UserId, SplitOrder);
  // Newest first.
  std::vector<splits::Split> list(store::UserId user, std::size_t limit) const { return splits_.list(user, limit); }

 private:
  splits::Splits& splits_;
  wallets::Wallets& wallets_;
  const agents::AgentDirectory& agents_;
};

}  // namespace skills
