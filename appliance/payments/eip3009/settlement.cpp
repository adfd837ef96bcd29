#include "appliance/payments/eip3009/settlement.h"

#include "appliance/payments/eip3009/arrival.h"

namespace eip3009 {

web::Task<Settled> settle(Submitter& submitter, Token& token, Authorization authorization) {
  const auto sent = co_await submitter.submit(token, authorization);
  if (sent.state == Submission::State::settled)
    co_return Settled{.state = Settled::State::settled, .transaction = sent.transaction};
  const auto arrival = co_await find_arrival(token, authorization);
  if (!arrival) co_return Settled{.detail = arrival.error().detail};
  switch (arrival->state) {
    case Arrival::State::arrived:
      co_return Settled{.state = Settled::State::settled, .transaction = arrival->transaction};
    case Arrival::State::canceled:
      co_return Settled{.state = Settled::State::never, .reason = sent.reason};
    case Arrival::State::unused:
      break;
  }
  if (sent.state == Submission::State::refused)
    co_return Settled{.state = Settled::State::never, .reason = sent.reason};
  co_return Settled{.detail = "the transfer is in no block"};
}

}  // namespace eip3009
