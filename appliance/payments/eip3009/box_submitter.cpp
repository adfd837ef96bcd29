#include "appliance/payments/eip3009/box_submitter.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/smart_wallet.h"
#include "appliance/foundation/crypto/keccak.h"
#include "appliance/payments/eip3009/arrival.h"
#include "appliance/payments/eip3009/fee_market_transaction.h"
#include "web/log.h"
#include "web/run_on.h"

namespace eip3009 {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view wallet = "gateway";
constexpr auto poll_every = 250ms;
constexpr int most_polls = 120;

constexpr auto simulation_failed = "invalid_exact_evm_transaction_simulation_failed",
               transaction_failed = "invalid_exact_evm_transaction_failed";

// The estimate is of the latest block; the transfer's is another.
std::uint64_t with_reserve(std::uint64_t gas) { return gas + gas / 5; }

Submission refused(std::string reason) {
  return {.state = Submission::State::refused, .transaction = {}, .reason = std::move(reason)};
}

class Counted {
 public:
  explicit Counted(int& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  int& count_;
};

}  // namespace

web::Task<> BoxSubmitter::open() {
  const auto own = co_await wallets_.obtain(0, std::string(wallet));
  address_ = own.address;
}

web::Task<Submission> BoxSubmitter::submit(Token& token, Authorization authorization) {
  return web::run_on(home_, submit_at_home(token, std::move(authorization)));
}

web::Task<Submission> BoxSubmitter::submit_at_home(Token& token, Authorization authorization) {
  co_await sending_.lock();
  Sent sent;
  const Counted counted(in_flight_);
  {
    const web::Unlock unlock(sending_);
    sent = co_await send(token, authorization);
  }
  if (sent.hash.empty() && sent.reason.empty()) co_return Submission{};
  if (sent.hash.empty()) co_return refused(sent.reason);
  co_return co_await follow(token, authorization, sent.hash);
}

web::Task<BoxSubmitter::Sent> BoxSubmitter::send(Token& token, const Authorization& authorization) {
  const auto signer = wallets_.signer(0, wallet);
  const auto signature = chain::inner_signature(authorization.signature);
  if (!signer || !signature) co_return Sent{.hash = {}, .reason = simulation_failed};
  auto& rpc = token.rpc();
  chain::Action action{
      .from = signer->address(), .to = token.address(), .value = 0, .data = transfer_call(authorization, *signature)};
  const auto gas = co_await rpc.estimate_gas(action);
  if (!gas) co_return Sent{};
  if (!*gas) co_return Sent{.hash = {}, .reason = simulation_failed};
  const auto fees = co_await rpc.fees();
  const auto count = co_await rpc.transaction_count(signer->address());
  if (!fees || !count) co_return Sent{};

  const bool is_alone = in_flight_ == 1;
  const auto nonce = is_alone ? *count : std::max(*count, next_nonce_);
  auto fee = fees->base * 2 + fees->priority;
  // A nonce that was given out before belongs to a transaction that got stuck: it is replaced.
  if (nonce < next_nonce_) fee = std::max(fee, last_fee_ + last_fee_ / 4);
  fee = std::min(fee, most_fee_);
  const auto raw = signed_by(*signer, {.chain_id = rpc.chain_id(),
                                       .nonce = nonce,
                                       .max_priority_fee = std::min(fees->priority, fee),
                                       .max_fee = fee,
                                       .gas = with_reserve(**gas),
                                       .to = token.address(),
                                       .data = std::move(action.data)});
  const auto outcome = co_await rpc.send(raw);
  if (!outcome) co_return Sent{};
  if (outcome->kind != chain::SendOutcome::Kind::accepted) {
    web::log::error("payment_not_sent", {{"wallet", signer->address().checksummed()}, {"reason", outcome->reason}});
    co_return Sent{.hash = {}, .reason = transaction_failed};
  }
  next_nonce_ = nonce + 1;
  last_fee_ = fee;
  co_return Sent{.hash = chain::to_hex(crypto::keccak256(raw))};
}

web::Task<Submission> BoxSubmitter::follow(Token& token, const Authorization& authorization, std::string hash) {
  for (int polls = 0; polls < most_polls; ++polls) {
    const auto receipt = co_await token.rpc().receipt(hash);
    if (receipt && *receipt) {
      if (moves(**receipt, token, authorization))
        co_return Submission{.state = Submission::State::settled, .transaction = hash};
      if (!(*receipt)->has_succeeded) co_return refused(transaction_failed);
      co_return Submission{};  // a token that does not do what it says
    }
    co_await web::sleep_for(poll_every);
  }
  co_return Submission{};
}

}  // namespace eip3009
