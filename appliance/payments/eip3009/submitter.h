// Sends authorized transfers to the chain: from a wallet of the box, or through a facilitator.
#pragma once

#include <string>

#include "appliance/payments/eip3009/authorization.h"
#include "appliance/payments/eip3009/token.h"
#include "web/result.h"
#include "web/task.h"

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

}  // namespace eip3009
