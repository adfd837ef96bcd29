// Finds out what became of an authorization, regardless of its sender.
#pragma once

#include <optional>
#include <string>

#include "appliance/payments/eip3009/authorization.h"
#include "appliance/payments/eip3009/token.h"

namespace eip3009 {

// Whether the transaction moved the authorized amount from payer to receiver.
bool moves(const chain::Receipt&, const Token&, const Authorization&);

struct Arrival {
  enum class State { arrived, unused, canceled };
  State state = State::unused;
  std::string transaction{};  // arrived: its hash
};
// Looks for the event of the authorization's use in recent blocks. Unavailable also if the authorization was used but
// no recent block tells how.
web::Task<web::Result<Arrival>> find_arrival(Token&, Authorization);

}  // namespace eip3009
