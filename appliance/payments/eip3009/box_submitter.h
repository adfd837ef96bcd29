// Sends authorized transfers from the box's own wallet, which pays for their gas.
#pragma once

#include <string>

#include "appliance/payments/eip3009/submitter.h"
#include "appliance/payments/transactions/sender.h"
#include "appliance/payments/wallets/wallets.h"

namespace eip3009 {

// Callable from every thread; the arguments must outlive it.
class BoxSubmitter final : public Submitter {
 public:
  BoxSubmitter(wallets::Wallets& wallets, transactions::Sender& sender) : wallets_(wallets), sender_(sender) {}

  // Makes the wallet unless it exists.
  web::Task<> open();
  web::Task<Submission> submit(Token&, Authorization) override;
  std::string address() const override;

 private:
  wallets::Wallets& wallets_;
  transactions::Sender& sender_;
};

}  // namespace eip3009
