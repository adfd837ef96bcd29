// Payments that are divided among recipients: stored as `queued`, then settled by a worker through the Settlement.
#pragma once

#include <boost/asio/io_context.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/crypto/ethereum.h"
#include "appliance/foundation/periodic.h"
#include "appliance/payments/splits/records.h"
#include "appliance/payments/splits/settlement.h"
#include "appliance/payments/usdc.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace splits {

inline constexpr std::size_t max_recipients = 100;

struct Request {
  store::UserId owner = 0;
  std::string agent, name;
  crypto::EthereumAddress from;
  payments::Usdc total;
  std::string key{};  // the caller's idempotency key; empty: each request makes a split
  struct Part {
    crypto::EthereumAddress to;
    double share = 0;  // percent
  };
  std::vector<Part> recipients;  // 1 to max_recipients
};

// Callable from every thread, except for start() and stop(): on the home thread.
class Splits {
 public:
  // All of them must outlive this.
  Splits(store::System, settlement::Settlement&, boost::asio::io_context& home);

  void start() { worker_.start(); }
  web::Task<> stop() { return worker_.stop(); }

  // Durable when it returns. With a known key of the owner: the earlier split if it was the same, else conflict with
  // IDEMPOTENCY_KEY_ALREADY_USED. invalid, naming the field: see divide().
  web::Task<web::Result<Split>> create(Request);
  std::optional<Split> find(store::UserId, std::int64_t number) const;
  // Newest first; with `before`, only those with lower numbers.
  std::vector<Split> list(store::UserId, std::size_t limit, std::optional<std::int64_t> before = {}) const;

 private:
  // A round: the oldest splits of each owner, so that those of one do not hold up the others'.
  web::Task<> settle_pending();
  // Gives the pending splits of earlier versions their place in the index.
  web::Task<> place_earlier();
  web::Task<> advance(Split);
  web::Task<> store_progress(Split, settlement::Progress);

  store::System system_;
  settlement::Settlement& settlement_;
  agentbox::Periodic worker_;
};

}  // namespace splits
