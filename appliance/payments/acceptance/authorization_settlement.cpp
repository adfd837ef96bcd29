#include "appliance/payments/acceptance/authorization_settlement.h"

#include <algorithm>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/erc20.h"
#include "appliance/foundation/chain/smart_wallet.h"
#include "appliance/foundation/crypto/keccak.h"
#include "appliance/payments/transfers/sender.h"
#include "appliance/payments/wallets/wallets.h"

namespace eip3009 {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view wallet = "gateway";
constexpr auto longest_wait = 30s;
constexpr auto transaction_failed = "invalid_exact_evm_transaction_failed";

Submission refused(std::string reason) {
  return {.state = Submission::State::refused, .transaction = {}, .reason = std::move(reason)};
}

// One transaction for an authorization, however often it is submitted.
std::string reference_of(const Token& token, const Authorization& authorization) {
  return "authorization/" + token.network() + "/" + token.address().lower_case() + "/" +
         authorization.from.lower_case() + "/" + chain::to_hex(authorization.nonce);
}

constexpr std::uint64_t recent_blocks = 5'000;

const std::string& used_event() {
  static const std::string topic = crypto::keccak256("AuthorizationUsed(address,bytes32)");
  return topic;
}
const std::string& canceled_event() {
  static const std::string topic = crypto::keccak256("AuthorizationCanceled(address,bytes32)");
  return topic;
}

// Those with this event of the authorization.
web::Task<web::Result<std::vector<std::string>>> transactions_of(Token& token, const std::string& event,
                                                                 const Authorization& authorization,
                                                                 std::uint64_t first) {
  std::vector<std::string> topics{event, chain::word(authorization.from), authorization.nonce};
  co_return co_await token.rpc().transactions_with_event(token.address(), std::move(topics), first);
}

}  // namespace

web::Task<> BoxSubmitter::open() { co_await wallets_.obtain(0, std::string(wallet)); }

std::string BoxSubmitter::address() const {
  const auto own = wallets_.find(0, wallet);
  return own ? own->address : std::string();
}

web::Task<Submission> BoxSubmitter::submit(Token& token, Authorization authorization) {
  const auto own = wallets_.find(0, wallet);
  const auto signature = chain::inner_signature(authorization.signature);
  if (!own || !signature) co_return refused(transaction_failed);
  transactions::Request request{.reference = reference_of(token, authorization),
                                .owner = 0,
                                .wallet = std::string(wallet),
                                .from = wallets::address_of(*own),
                                .chain_id = token.rpc().chain_id(),
                                .to = token.address(),
                                .value = {},
                                .data = transfer_call(authorization, *signature)};
  const auto reference = request.reference;
  const auto queued = co_await sender_.send(std::move(request));
  // Of a smart wallet there may be another signature of the same authorization: its transaction is as good.
  if (!queued && queued.error().kind != web::Kind::conflict) co_return Submission{};
  const auto sent = co_await sender_.until_in_block(reference, longest_wait);
  if (sent.hash.empty()) {
    if (sent.state == transactions::State::failed) co_return refused(transaction_failed);
    co_return Submission{};
  }
  const auto receipt = co_await token.rpc().receipt(sent.hash);
  if (!receipt || !*receipt) co_return Submission{};
  if (moves(**receipt, token.address(), authorization))
    co_return Submission{.state = Submission::State::settled, .transaction = sent.hash};
  if (!(*receipt)->has_succeeded) co_return refused(transaction_failed);
  co_return Submission{};  // a token that does not do what it says
}

bool moves(const chain::Receipt& receipt, const crypto::EthereumAddress& token, const Authorization& authorization) {
  const auto from = chain::word(authorization.from), to = chain::word(authorization.to);
  const std::vector<std::string> use{used_event(), from, authorization.nonce};
  const auto is_use = [&](const chain::Receipt::Log& log) {
    return log.contract == token.lower_case() && log.topics == use;
  };
  const auto is_payment = [&](const chain::Receipt::Log& log) {
    return chain::is_transfer(log, token, from, to) && log.data == authorization.value;
  };
  // Right behind each other: the transfer of another authorization in the same transaction is not this one's.
  const auto is_pair = [&](const auto& first, const auto& second) { return is_use(first) && is_payment(second); };
  return receipt.has_succeeded && std::ranges::adjacent_find(receipt.logs, is_pair) != receipt.logs.end();
}

web::Task<web::Result<Arrival>> find_arrival(Token& token, Authorization authorization) {
  const auto used = co_await token.has_used(authorization.from, authorization.nonce);
  if (!used) co_return used.error();
  if (!*used) co_return Arrival{.state = Arrival::State::unused};
  const auto latest = co_await token.rpc().latest_block();
  if (!latest) co_return latest.error();
  const auto first = latest->number > recent_blocks ? latest->number - recent_blocks : 0;
  const auto uses = co_await transactions_of(token, used_event(), authorization, first);
  if (!uses) co_return uses.error();
  for (const auto& hash : *uses) {
    const auto receipt = co_await token.rpc().receipt(hash);
    if (!receipt) co_return receipt.error();
    if (*receipt && moves(**receipt, token.address(), authorization))
      co_return Arrival{.state = Arrival::State::arrived, .transaction = hash};
  }
  const auto cancellations = co_await transactions_of(token, canceled_event(), authorization, first);
  if (!cancellations) co_return cancellations.error();
  if (!cancellations->empty()) co_return Arrival{.state = Arrival::State::canceled};
  co_return web::unavailable("It cannot be seen on the chain yet what became of this payment",
                             "the authorization was used, but no recent block has its event");
}

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
