#include "appliance/payments/eip3009/arrival.h"

#include <algorithm>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/erc20.h"
#include "appliance/foundation/crypto/keccak.h"

namespace eip3009 {

namespace {

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

}  // namespace eip3009
