// Settles an authorization: submits it, and asks the chain what became of it if the submission does not say.
#pragma once

#include <string>

#include "appliance/payments/eip3009/submitter.h"

namespace eip3009 {

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

// The transfer counts regardless of its sender.
web::Task<Settled> settle(Submitter&, Token&, Authorization);

}  // namespace eip3009
