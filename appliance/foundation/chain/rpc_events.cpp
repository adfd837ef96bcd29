// What Rpc finds by events.
#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/rpc.h"
#include "appliance/foundation/chain/rpc_answers.h"

namespace chain {

namespace {

std::string quantity_of(std::uint64_t number) {
  std::string digits = to_hex(word(number));
  digits.erase(0, std::min(digits.find_first_not_of('0', 2), digits.size() - 1));
  return "0x" + digits;
}

}  // namespace

web::Task<web::Result<std::vector<std::string>>> Rpc::transactions_with_event(crypto::EthereumAddress contract,
                                                                              std::vector<std::string> topics,
                                                                              std::uint64_t first) {
  boost::json::array wanted;
  for (const auto& topic : topics) wanted.emplace_back(to_hex(topic));
  boost::json::object filter{{"address", contract.lower_case()},
                             {"fromBlock", quantity_of(first)},
                             {"toBlock", "latest"},
                             {"topics", std::move(wanted)}};
  boost::json::array parameters;
  parameters.push_back(std::move(filter));
  const auto answered = co_await ask_chain("eth_getLogs", std::move(parameters));
  if (!answered) co_return answered.error();
  if (!answered->is_array()) co_return no_answer("eth_getLogs answered no list");
  std::vector<std::string> hashes;
  for (const auto& log : answered->get_array()) {
    const auto hash = log.is_object() ? bytes_in(log.get_object(), "transactionHash") : std::nullopt;
    if (!hash || hash->size() != word_bytes) co_return no_answer("eth_getLogs answered a log without its transaction");
    hashes.push_back(to_hex(*hash));
  }
  co_return hashes;
}

}  // namespace chain
