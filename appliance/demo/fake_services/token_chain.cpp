#include "appliance/demo/fake_services/token_chain.h"

#include <algorithm>

#include "appliance/demo/fake_services/signed_transaction.h"
#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/erc20.h"
#include "appliance/foundation/crypto/keccak.h"

namespace demo {

namespace {

using namespace std::chrono_literals;

constexpr auto block_time = 2s;
constexpr std::size_t max_transactions = 10'000;

struct TokenTransfer {
  std::string to;
  std::uint64_t amount = 0;
};

// The call transfer(address,uint256) of an amount below 2^64; nothing for any other data.
std::optional<TokenTransfer> token_transfer(std::string_view data) {
  if (data.size() != chain::selector_bytes + 2 * chain::word_bytes) return std::nullopt;
  const auto to = crypto::EthereumAddress::parse(chain::to_hex(data.substr(chain::selector_bytes + 12, 20)));
  const auto amount = chain::small_number(data.substr(chain::selector_bytes + chain::word_bytes));
  if (!to || !amount || data != chain::transfer_of(*to, *amount)) return std::nullopt;
  return TokenTransfer{.to = to->lower_case(), .amount = *amount};
}

}  // namespace

const crypto::EthereumAddress& TokenChain::token() {
  static const auto address = *crypto::EthereumAddress::parse("0x00000000000000000000000000000000de300001");
  return address;
}

std::uint64_t TokenChain::head() const {
  return static_cast<std::uint64_t>((std::chrono::steady_clock::now() - began_) / block_time);
}

std::string TokenChain::hash_of_block(std::uint64_t number) {
  return crypto::keccak256("block " + std::to_string(number));
}

std::uint64_t TokenChain::transactions_of(const std::string& account) const {
  const auto is_of_account = [&, last = head()](const Transaction& each) {
    return each.from == account && each.block <= last;
  };
  return static_cast<std::uint64_t>(std::ranges::count_if(transactions_, is_of_account));
}

web::Result<std::string> TokenChain::take(std::string_view raw) {
  auto hash = crypto::keccak256(raw);
  if (std::ranges::find(transactions_, hash, &Transaction::hash) != transactions_.end())
    return web::invalid("already known");
  const auto received = read_transaction(raw);
  if (!received || received->chain_id != id) return web::invalid("invalid transaction");
  if (transactions_.size() >= max_transactions) return web::invalid("the chain is full: restart the demo");
  auto& sender = account_of(received->from.lower_case());
  if (received->nonce < sender.next_nonce) return web::invalid("nonce too low");
  if (received->nonce > sender.next_nonce) return web::invalid("nonce too high");
  if (received->max_fee < base_fee) return web::invalid("max fee per gas less than block base fee");

  const bool is_of_token = received->to == token();
  const auto gas = is_of_token ? token_gas : transfer_gas;
  if (received->gas < gas) return web::invalid("intrinsic gas too low");
  if (sender.coins < gas * base_fee || sender.coins - gas * base_fee < received->value)
    return web::invalid("insufficient funds for gas * price + value");
  sender.coins -= gas * base_fee;
  ++sender.next_nonce;

  Transaction transaction{.hash = hash, .block = head() + 1, .from = received->from.lower_case()};
  transaction.is_of_token = is_of_token;
  if (is_of_token) {
    const auto transfer = token_transfer(received->data);
    transaction.has_succeeded = transfer && received->value == 0 && sender.tokens >= transfer->amount;
    if (transfer) {
      transaction.to = transfer->to;
      transaction.value = transfer->amount;
    }
    if (transaction.has_succeeded) {
      sender.tokens -= transaction.value;
      account_of(transaction.to).tokens += transaction.value;
    }
  } else {
    transaction.has_succeeded = true;
    transaction.to = received->to.lower_case();
    transaction.value = received->value;
    sender.coins -= transaction.value;
    account_of(transaction.to).coins += transaction.value;
  }
  transactions_.push_back(std::move(transaction));
  return hash;
}

const TokenChain::Transaction* TokenChain::find(std::string_view hash) const {
  const auto found = std::ranges::find(transactions_, hash, &Transaction::hash);
  return found == transactions_.end() || found->block > head() ? nullptr : &*found;
}

std::vector<const TokenChain::Transaction*> TokenChain::since(std::uint64_t block) const {
  std::vector<const Transaction*> found;
  const auto last = head();
  for (const auto& each : transactions_)
    if (each.block >= block && each.block <= last) found.push_back(&each);
  return found;
}

}  // namespace demo
