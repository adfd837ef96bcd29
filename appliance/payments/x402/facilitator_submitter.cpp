#include "appliance/payments/x402/facilitator_submitter.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/amount.h"
#include "appliance/payments/eip3009/arrival.h"
#include "web/log.h"

namespace x402 {

namespace {

using namespace std::chrono_literals;
using eip3009::Submission;

constexpr auto poll_every = 500ms;
constexpr int most_polls = 20;

Submission refused(std::string reason) {
  return {.state = Submission::State::refused, .transaction = {}, .reason = std::move(reason)};
}

// The facilitator's word is not enough: the chain must show the transfer.
web::Task<bool> is_on_chain(eip3009::Token& token, const eip3009::Authorization& authorization, std::string hash) {
  const auto bytes = chain::from_hex(hash);
  if (!bytes || bytes->size() != chain::word_bytes) co_return false;
  for (int polls = 0; polls < most_polls; ++polls) {
    const auto receipt = co_await token.rpc().receipt(hash);
    if (receipt && *receipt) co_return eip3009::moves(**receipt, token.address(), authorization);
    co_await web::sleep_for(poll_every);
  }
  co_return false;
}

}  // namespace

web::Task<Submission> FacilitatorSubmitter::submit(eip3009::Token& token, eip3009::Authorization authorization) {
  const auto domain = co_await token.domain();
  if (!domain) co_return Submission{};
  const Requirements required{.chain_id = token.rpc().chain_id(),
                              .asset = token.address(),
                              .pay_to = authorization.to,
                              .amount = chain::to_digits(authorization.value),
                              .name = (*domain)->name,
                              .version = (*domain)->version};
  const auto verdict = co_await client_.verify(authorization, required);
  if (!verdict) {
    web::log::warning("facilitator_failed", {{"reason", verdict.error().detail}});
    co_return Submission{};
  }
  if (*verdict) co_return refused((*verdict)->reason);
  const auto settled = co_await client_.settle(authorization, required);
  if (!settled) {
    web::log::warning("facilitator_failed", {{"reason", settled.error().detail}});
    co_return Submission{};
  }
  if (!settled->success) co_return refused(settled->reason);
  const bool is_visible = co_await is_on_chain(token, authorization, settled->transaction);
  if (!is_visible) co_return Submission{};
  co_return Submission{.state = Submission::State::settled, .transaction = settled->transaction};
}

}  // namespace x402
