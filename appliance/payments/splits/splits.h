// Payments that are divided among recipients: stored as `queued`, then settled by a worker through the Settlement.
#pragma once

#include <boost/asio/io_context.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/crypto/ethereum.h"
#include "appliance/foundation/periodic.h"
#include "appliance/payments/settlement/settlement.h"
#include "appliance/payments/splits/records.h"
#include "appliance/payments/usdc.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace splits {

inline constexpr std::size_t most_recipients = 100;

struct Request {
  store::UserId owner = 0;
  std::string agent, name;
  crypto::EthereumAddress from;
  payments::Usdc total;
  struct Part {
    crypto::EthereumAddress to;
    double share = 0;  // percent
  };
  std::vector<Part> recipients;  // 1 to most_recipients
};

// Callable from every thread, except for start() and stop(): on the home thread.
class Splits {
 public:
  // All of them must outlive this.
  Splits(store::System, settlement::Settlement&, boost::asio::io_context& home);

  void start() { worker_.start(); }
  web::Task<> stop() { return worker_.stop(); }

  // Durable when it returns. invalid, naming the field: see divide().
  web::Task<web::Result<Split>> create(Request);
  std::optional<Split> find(store::UserId, std::int64_t number) const;
  // Newest first; with `before`, only those with lower numbers.
  std::vector<Split> list(store::UserId, std::size_t limit, std::optional<std::int64_t> before = {}) const;

 private:
  web::Task<> settle_pending();
  web::Task<> advance(Split);
  web::Task<> store_progress(Split, settlement::Progress);

  store::System system_;
  settlement::Settlement& settlement_;
  agentbox::Periodic worker_;
};

}  // namespace splits
