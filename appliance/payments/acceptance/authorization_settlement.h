// Settles authorizations: sends their transfers to the chain, from a wallet of the box or through a facilitator, and
// finds out from the chain what became of them.
#pragma once

#include <optional>
#include <string>

#include "appliance/payments/acceptance/authorization.h"
#include "appliance/payments/acceptance/token.h"
#include "web/result.h"
#include "web/task.h"

namespace transactions {
class Sender;
}
namespace wallets {
class Wallets;
}

namespace eip3009 {

struct Submission {
  enum class State { settled, refused, unknown };
  State state = State::unknown;
  std::string transaction{};  // settled: its hash
  std::string reason{};       // refused: x402's code
};

// Callable from every thread. Submitting an authorization again is safe: its token accepts it once.
class Submitter {
 public:
  virtual ~Submitter() = default;
  // Waits until the transfer is in a block, at most about half a minute.
  virtual web::Task<Submission> submit(Token&, Authorization) = 0;
  // The account that sends; empty if that is not the box's.
  virtual std::string address() const = 0;
};

// Sends authorized transfers from the box's own wallet, which pays for their gas.
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

// Whether the transaction used the authorization: the token's event AuthorizationUsed of its nonce comes right before
// the Transfer of the authorized amount from payer to receiver, as in EIP-3009's reference implementation.
bool moves(const chain::Receipt&, const crypto::EthereumAddress& token, const Authorization&);

struct Arrival {
  enum class State { arrived, unused, canceled };
  State state = State::unused;
  std::string transaction{};  // arrived: its hash
};
// Looks for the event of the authorization's use in recent blocks, regardless of the sender. Unavailable also if the
// authorization was used but no recent block tells how.
web::Task<web::Result<Arrival>> find_arrival(Token&, Authorization);

struct Settled {
  enum class State {
    settled,  // the money has arrived
    never,    // it has not, and never will: the authorization was refused or canceled
    pending   // not known yet: settling again is safe
  };
  State state = State::pending;
  std::string transaction{};  // settled: its hash
  std::string reason{};       // never: x402's code, or empty
  std::string detail{};       // pending: for the log
};

// Submits the authorization, and asks the chain what became of it if the submission does not say. The transfer counts
// regardless of its sender.
web::Task<Settled> settle(Submitter&, Token&, Authorization);

}  // namespace eip3009
