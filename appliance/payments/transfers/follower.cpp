#include "appliance/payments/transfers/follower.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/transaction.h"
#include "appliance/payments/transfers/fees.h"
#include "web/log.h"

namespace transactions {

namespace {

constexpr std::size_t at_once = 1'000, max_of_lane = 100;
constexpr std::uint64_t max_gas = 10'000'000;

crypto::EthereumAddress address(const std::string& text) { return crypto::EthereumAddress::parse(text).value(); }
std::string bytes(const std::string& text) { return chain::from_hex(text).value(); }

// A quarter more than the estimate, since the state may differ by then.
std::uint64_t with_reserve(std::uint64_t gas) { return std::min(gas, max_gas) * 5 / 4; }

// Estimates name the value in 64 bits: more than eighteen whole coins are estimated as that.
std::uint64_t at_most_64_bits(std::string_view big_endian) {
  const std::string padded = std::string(chain::word_bytes - big_endian.size(), '\0').append(big_endian);
  return chain::small_number(padded).value_or(std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

// Of each wallet the oldest, so that a wallet with a long queue holds up itself alone.
std::map<std::string, std::vector<Transaction>> Follower::pending_lanes() const {
  std::map<std::string, std::vector<Transaction>> lanes;
  const auto prefix = std::to_string(chain_id());
  for (auto from = prefix + "/";;) {
    auto page = system_.find_range(transactions_table, "pending", from, prefix + "0", at_once);  // '0' is behind '/'
    for (auto& transaction : page) {
      from = transaction.pending + " ";  // right behind it
      auto& lane = lanes[transaction.from];
      if (lane.size() < max_of_lane) lane.push_back(std::move(transaction));
    }
    if (page.size() < at_once) return lanes;
  }
}

web::Task<> Follower::advance_all() {
  auto lanes = pending_lanes();
  if (lanes.empty()) co_return;
  const auto head = co_await network_.rpc.latest_block();
  if (!head) co_return;
  for (auto& lane : lanes) co_await advance(std::move(lane.second), head->number);
}

web::Task<> Follower::advance(std::vector<Transaction> lane, std::uint64_t head) {
  for (auto& transaction : lane) {
    if (transaction.state == State::queued) {
      co_await sign_next(std::move(transaction));
      co_return;
    }
    if (!co_await follow(transaction, head)) co_return;
  }
}

web::Task<bool> Follower::follow(Transaction& transaction, std::uint64_t head) {
  for (const auto& attempt : transaction.attempts) {
    const auto receipt = co_await network_.rpc.receipt(attempt.hash);
    if (!receipt) co_return false;
    if (!*receipt || !(*receipt)->block) continue;
    const auto block = static_cast<std::int64_t>(*(*receipt)->block);
    if (transaction.block != block || transaction.hash != attempt.hash) {
      transaction.block = block;
      transaction.hash = attempt.hash;
      co_await save(transaction);
      balances_.forget(network_, address(transaction.from));
    }
    const auto depth = static_cast<std::int64_t>(head) - block + 1;
    if (depth < static_cast<std::int64_t>(policy_.confirmations)) co_return true;
    if ((*receipt)->has_succeeded)
      co_await finish(transaction, State::confirmed, "");
    else
      co_await finish(transaction, State::failed, "The transaction was undone by the contract it called");
    co_return true;
  }
  if (transaction.block) {  // its block is no longer part of the chain
    web::log::warning("transaction_left_chain", {{"reference", transaction.reference}, {"hash", transaction.hash}});
    transaction.block.reset();
    transaction.hash.clear();
    transaction.state = State::signed_;
    co_await save(transaction);
  }
  if (transaction.state == State::signed_)
    co_await send(transaction);
  else if (store::now() - transaction.attempts.back().at >= policy_.stuck_after)
    co_await replace(transaction);
  co_await note_overtaking(transaction, head);
  co_return false;
}

web::Task<> Follower::sign_next(Transaction transaction) {
  const auto from = address(transaction.from);
  const auto signer = signer_of_(transaction.owner, transaction.wallet);
  if (!signer || signer->address() != from) {
    co_await finish(transaction, State::failed, "The key of this wallet is not on this box");
    co_return;
  }
  chain::Action action{.from = from,
                       .to = address(transaction.to),
                       .value = at_most_64_bits(bytes(transaction.value)),
                       .data = bytes(transaction.data)};
  const auto estimate = co_await network_.rpc.estimate_gas(std::move(action));
  if (!estimate) co_return;
  if (!*estimate) {
    co_await finish(transaction, State::failed,
                    "It would fail on the chain: the balance is too low, or the receiver refuses it");
    co_return;
  }
  const auto fees = co_await network_.rpc.fees();
  if (!fees) co_return;
  const auto offer = offer_for(*fees, policy_.highest_fee);
  if (!offer) {
    transaction.reason = "The chain asks for more than TRANSFER_MAX_GWEI; it is sent once the price has fallen";
    co_await save(transaction);
    co_return;
  }
  const auto gas = with_reserve(**estimate);
  const auto held = co_await network_.rpc.native_balance(from);
  if (!held) co_return;
  if (*held < cost_of(bytes(transaction.value), gas, offer->max_fee)) {
    co_await finish(transaction, State::failed,
                    "The wallet's balance of the chain's own coin is too low for the payment and its gas");
    co_return;
  }
  const auto nonce = co_await next_nonce(from);
  if (!nonce) co_return;
  transaction.nonce = static_cast<std::int64_t>(*nonce);
  transaction.gas = static_cast<std::int64_t>(gas);
  transaction.reason.clear();
  co_await add_attempt(transaction, *offer, *signer, State::signed_);
  co_await send(transaction);
}

web::Task<> Follower::replace(Transaction& transaction) {
  const auto& last = transaction.attempts.back();
  const Offer before{.max_fee = static_cast<std::uint64_t>(last.max_fee),
                     .max_priority_fee = static_cast<std::uint64_t>(last.max_priority_fee)};
  const auto fees = co_await network_.rpc.fees();
  if (!fees) co_return;
  const auto offer = higher_offer(before, *fees, policy_.highest_fee);
  const auto signer = signer_of_(transaction.owner, transaction.wallet);
  if (offer && signer) {
    co_await add_attempt(transaction, *offer, *signer, State::replaced);
  } else {
    transaction.attempts.back().at = store::now();  // it is sent again as it is
    transaction.reason = "The chain asks for more than TRANSFER_MAX_GWEI";
    co_await save(transaction);
  }
  co_await send(transaction);
}

web::Task<> Follower::send(Transaction& transaction) {
  using Kind = chain::SendOutcome::Kind;
  const auto outcome = co_await network_.rpc.send(bytes(transaction.attempts.back().bytes));
  if (!outcome) co_return;
  if (outcome->kind == Kind::accepted && transaction.state == State::signed_) {
    transaction.state = State::sent;
    transaction.reason.clear();
    co_await save(transaction);
  }
  const bool is_refused = outcome->kind != Kind::accepted && outcome->kind != Kind::nonce_used;
  if (!is_refused) co_return;
  auto reason = "The chain's node refuses it for now: " + outcome->reason;
  const bool needs_higher_fee = outcome->kind == Kind::underpriced && transaction.state == State::signed_;
  if (transaction.reason == reason && !needs_higher_fee) co_return;
  transaction.reason = std::move(reason);
  if (needs_higher_fee) transaction.state = State::sent;  // replaced, once it counts as stuck
  co_await save(transaction);
}

// The nonce is used by a transaction that is none of this one's forms. It is final once that is confirmed: until then
// the node may have been behind, or its block may go.
web::Task<> Follower::note_overtaking(Transaction& transaction, std::uint64_t head) {
  const auto count = co_await network_.rpc.transaction_count(address(transaction.from));
  if (!count || !transaction.nonce) co_return;
  if (*count <= static_cast<std::uint64_t>(*transaction.nonce)) {
    if (!transaction.overtaken_at) co_return;
    transaction.overtaken_at.reset();
    co_await save(transaction);
    co_return;
  }
  const auto now = static_cast<std::int64_t>(head);
  if (!transaction.overtaken_at) {
    transaction.overtaken_at = now;
    co_await save(transaction);
  } else if (now - *transaction.overtaken_at >= static_cast<std::int64_t>(policy_.confirmations)) {
    co_await finish(transaction, State::failed,
                    "Another transaction of this wallet, sent from elsewhere, took its place");
  }
}

web::Task<std::optional<std::uint64_t>> Follower::next_nonce(const crypto::EthereumAddress& from) {
  const auto count = co_await network_.rpc.transaction_count(from);
  if (!count) co_return std::nullopt;
  const auto known = system_.get(next_nonces, std::to_string(chain_id()) + "/" + from.lower_case());
  co_return std::max(*count, known ? static_cast<std::uint64_t>(known->value.next) : 0);
}

web::Task<> Follower::add_attempt(Transaction& transaction, Offer offer, const crypto::EthereumSigner& signer,
                                  State state) {
  const auto nonce = transaction.nonce.value();
  const auto made = chain::sign({.chain_id = chain_id(),
                                 .nonce = static_cast<std::uint64_t>(nonce),
                                 .max_priority_fee = offer.max_priority_fee,
                                 .max_fee = offer.max_fee,
                                 .gas = static_cast<std::uint64_t>(transaction.gas),
                                 .to = address(transaction.to),
                                 .value = bytes(transaction.value),
                                 .data = bytes(transaction.data)},
                                signer);
  transaction.attempts.push_back({.hash = chain::to_hex(made.hash),
                                  .bytes = chain::to_hex(made.bytes),
                                  .max_fee = static_cast<std::int64_t>(offer.max_fee),
                                  .max_priority_fee = static_cast<std::int64_t>(offer.max_priority_fee),
                                  .at = store::now()});
  transaction.state = state;
  transaction.updated_at = store::now();

  auto row = system_.get(transactions_table, transaction.reference);
  const std::string account = std::to_string(chain_id()) + "/" + signer.address().lower_case();
  auto known = system_.get(next_nonces, account);
  row->value = transaction;
  auto change = system_.change();
  change.update(transactions_table, *row);
  if (!known) {
    change.insert(next_nonces, NextNonce{.id = account, .next = nonce + 1});
  } else {
    known->value.next = std::max(known->value.next, nonce + 1);
    change.update(next_nonces, *known);
  }
  if (!(co_await change.commit()).ok()) throw std::logic_error("a transaction has two followers");
}

web::Task<> Follower::finish(Transaction& transaction, State state, std::string reason) {
  transaction.state = state;
  transaction.reason = std::move(reason);
  transaction.pending.clear();
  co_await save(transaction);
  balances_.forget(network_, address(transaction.from));
  web::log::info(
      "transaction_ended",
      {{"reference", transaction.reference}, {"state", std::string(name_of(state))}, {"hash", transaction.hash}});
}

web::Task<> Follower::save(Transaction& transaction) {
  transaction.updated_at = store::now();
  co_await system_.modify(transactions_table, transaction.reference,
                          [&](Transaction& stored) { stored = transaction; });
}

}  // namespace transactions
