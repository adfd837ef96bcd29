// Sends authorized transfers from the box's own wallet, which pays for their gas.
#pragma once

#include <boost/asio/io_context.hpp>
#include <optional>
#include <string>

#include "appliance/payments/eip3009/submitter.h"
#include "appliance/payments/wallets/wallets.h"
#include "web/async_mutex.h"

namespace eip3009 {

// Callable from every thread; the arguments must outlive it.
class BoxSubmitter final : public Submitter {
 public:
  // `home` runs the sending, so that nonces are given out one after the other. `most_gwei`: the highest price of gas.
  BoxSubmitter(boost::asio::io_context& home, wallets::Wallets& wallets, unsigned most_gwei)
      : home_(home), wallets_(wallets), most_fee_(most_gwei * wei_per_gwei), sending_(home.get_executor()) {}

  // Makes the wallet unless it exists. Before submit().
  web::Task<> open();
  web::Task<Submission> submit(Token&, Authorization) override;
  std::string address() const override { return address_; }

 private:
  static constexpr std::uint64_t wei_per_gwei = 1'000'000'000;
  struct Sent {
    std::string hash;  // empty: nothing was sent
    std::string reason{};
  };

  web::Task<Submission> submit_at_home(Token&, Authorization);
  web::Task<Sent> send(Token&, const Authorization&);
  static web::Task<Submission> follow(Token&, const Authorization&, std::string hash);

  boost::asio::io_context& home_;
  wallets::Wallets& wallets_;
  const std::uint64_t most_fee_;
  std::string address_;  // set by open()

  // Used on home_ only.
  web::AsyncMutex sending_;       // from reading the nonce to sending
  int in_flight_ = 0;             // transactions that are sent and not in a block yet, and the one that is being sent
  std::uint64_t next_nonce_ = 0;  // after the last one that was sent
  std::uint64_t last_fee_ = 0;    // of the transaction with the highest nonce so far
};

}  // namespace eip3009
