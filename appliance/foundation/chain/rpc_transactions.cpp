// What Rpc needs to send transactions and to follow them.
#include <algorithm>
#include <array>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/rpc.h"
#include "appliance/foundation/chain/rpc_answers.h"
#include "web/ascii.h"
#include "web/json.h"

namespace chain {

namespace {

constexpr std::uint64_t usual_priority = 1'000'000'000;  // wei; for nodes that suggest nothing

std::string quantity_text(std::uint64_t number) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), digits[number % 16]);
  while ((number /= 16) != 0);
  return "0x" + text;
}

boost::json::object call_object(const Action& action) {
  boost::json::object object{{"data", to_hex(action.data)}, {"value", quantity_text(action.value)}};
  if (action.from) object["from"] = action.from->lower_case();
  if (action.to) object["to"] = action.to->lower_case();
  return object;
}

// A word from a quantity of at most 32 bytes.
std::optional<std::string> word_of_quantity(const boost::json::value& value) {
  if (!value.is_string()) return std::nullopt;
  std::string digits(std::string_view(value.get_string()));
  if (!digits.starts_with("0x") || digits.size() < 3 || digits.size() > 2 + 2 * word_bytes) return std::nullopt;
  digits.erase(0, 2);
  digits.insert(0, 2 * word_bytes - digits.size(), '0');
  return from_hex("0x" + digits);
}

// Nodes have no codes for these; the words are those of geth, reth, nethermind, ganache and hardhat.
SendOutcome outcome_of(const boost::json::object& error) {
  using Kind = SendOutcome::Kind;
  struct Sign {
    std::string_view word;
    Kind kind;
  };
  constexpr auto signs = std::to_array<Sign>({
      {"already known", Kind::accepted},
      {"known transaction", Kind::accepted},
      {"already imported", Kind::accepted},
      {"nonce too low", Kind::nonce_used},
      {"nonce is too low", Kind::nonce_used},
      {"correct nonce", Kind::nonce_used},
      {"oldnonce", Kind::nonce_used},
      {"underpriced", Kind::underpriced},
      {"fee too low", Kind::underpriced},
      {"gas price too low", Kind::underpriced},
      {"less than block base fee", Kind::underpriced},
      {"less than the block's basefeepergas", Kind::underpriced},
      {"insufficient funds", Kind::insufficient_funds},
      {"enough funds", Kind::insufficient_funds},
  });
  const std::string reason = web::string_member(error, "message").substr(0, 300);
  const auto lower = web::lower_case(reason);
  for (const auto& sign : signs)
    if (lower.find(sign.word) != std::string::npos) return {.kind = sign.kind, .reason = reason};
  return {.kind = Kind::refused, .reason = reason};
}

}  // namespace

web::Task<web::Result<std::uint64_t>> Rpc::ask_number(std::string method, boost::json::array params) {
  const auto answered = co_await ask_chain(method, std::move(params));
  if (!answered) co_return answered.error();
  const auto number = quantity(*answered);
  if (!number) co_return no_answer(method + " answered no number");
  co_return *number;
}

web::Task<web::Result<std::optional<Block>>> Rpc::ask_block(std::string which) {
  boost::json::array params;
  params.emplace_back(std::move(which));
  params.emplace_back(false);
  const auto answered = co_await ask_chain("eth_getBlockByNumber", std::move(params));
  if (!answered) co_return answered.error();
  std::optional<Block> block;
  if (answered->is_null()) co_return block;
  if (!answered->is_object()) co_return no_answer("eth_getBlockByNumber answered no block");
  const auto& object = answered->get_object();
  const auto number = number_in(object, "number"), timestamp = number_in(object, "timestamp");
  auto hash = bytes_in(object, "hash");
  if (!number || !timestamp || !hash) co_return no_answer("eth_getBlockByNumber answered no block");
  block = Block{.number = *number,
                .hash = std::move(*hash),
                .timestamp = *timestamp,
                .base_fee = number_in(object, "baseFeePerGas").value_or(0)};
  co_return block;
}

web::Task<web::Result<Block>> Rpc::latest_block() {
  auto found = co_await ask_block("latest");
  if (!found) co_return found.error();
  if (!*found) co_return no_answer("eth_getBlockByNumber answered no latest block");
  co_return std::move(**found);
}

web::Task<web::Result<std::optional<Block>>> Rpc::block(std::uint64_t number) {
  co_return co_await ask_block(quantity_text(number));
}

web::Task<web::Result<std::string>> Rpc::native_balance(crypto::EthereumAddress address) {
  boost::json::array params{address.lower_case(), "latest"};
  const auto answered = co_await ask_chain("eth_getBalance", std::move(params));
  if (!answered) co_return answered.error();
  auto balance = word_of_quantity(*answered);
  if (!balance) co_return no_answer("eth_getBalance answered no number");
  co_return std::move(*balance);
}

web::Task<web::Result<std::uint64_t>> Rpc::transaction_count(crypto::EthereumAddress address) {
  boost::json::array params{address.lower_case(), "latest"};
  co_return co_await ask_number("eth_getTransactionCount", std::move(params));
}

web::Task<web::Result<Fees>> Rpc::fees() {
  const auto block = co_await latest_block();
  if (!block) co_return block.error();
  const auto suggested = co_await exchange("eth_maxPriorityFeePerGas", {});
  if (!suggested) co_return suggested.error();
  co_return Fees{.base = block->base_fee, .priority = quantity(suggested->result).value_or(usual_priority)};
}

web::Task<web::Result<std::optional<std::uint64_t>>> Rpc::estimate_gas(Action action) {
  const auto checked = co_await check_chain();
  if (!checked) co_return checked.error();
  boost::json::array params{call_object(action)};
  const auto reply = co_await exchange("eth_estimateGas", std::move(params));
  if (!reply) co_return reply.error();
  if (reply->error) {
    const auto outcome = outcome_of(*reply->error);
    if (is_revert(*reply->error) || outcome.kind == SendOutcome::Kind::insufficient_funds)
      co_return std::optional<std::uint64_t>();
    co_return no_answer("eth_estimateGas: " + outcome.reason);
  }
  const auto gas = quantity(reply->result);
  if (!gas) co_return no_answer("eth_estimateGas answered no number");
  co_return gas;
}

web::Task<web::Result<SendOutcome>> Rpc::send(std::string signed_transaction) {
  const auto checked = co_await check_chain();
  if (!checked) co_return checked.error();
  boost::json::array params{to_hex(signed_transaction)};
  const auto reply = co_await exchange("eth_sendRawTransaction", std::move(params));
  if (!reply) co_return reply.error();
  if (reply->error) co_return outcome_of(*reply->error);
  co_return SendOutcome{};
}

}  // namespace chain
