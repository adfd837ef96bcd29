#include "appliance/demo/fake_services/chain_node.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "appliance/demo/fake_services/page.h"
#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/amount.h"
#include "appliance/foundation/chain/erc20.h"
#include "appliance/foundation/chain/rpc_answers.h"
#include "store/clock.h"
#include "web/json.h"

namespace demo {

namespace json = boost::json;

namespace {

constexpr std::size_t max_shown_transactions = 50;
constexpr int reverted = 3, refused = -32'000;  // error codes of common nodes
constexpr std::uint64_t token_decimals = 6;
constexpr auto code_of_token = "0x00";  // something: the token is a contract

std::string quantity(std::uint64_t number) {
  char digits[17];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number, 16).ptr;
  return "0x" + std::string(digits, end);
}

std::string normalised_address(std::string text) {
  const auto address = crypto::EthereumAddress::parse(text);
  return address ? address->lower_case() : std::string();
}

const json::value& at(const json::array& params, std::size_t index) {
  static const json::value none;
  return index < params.size() ? params[index] : none;
}

std::string account_word(const std::string& account) { return chain::word(*crypto::EthereumAddress::parse(account)); }

json::array topics_of(const TokenChain::Transaction& transaction) {
  json::array topics;
  for (const auto& topic : {chain::transfer_event(), account_word(transaction.from), account_word(transaction.to)})
    topics.emplace_back(chain::to_hex(topic));
  return topics;
}

json::object log_of(const TokenChain::Transaction& transaction) {
  return {{"address", TokenChain::token().lower_case()},
          {"topics", topics_of(transaction)},
          {"data", chain::to_hex(chain::word(transaction.value))},
          {"blockNumber", quantity(transaction.block)},
          {"blockHash", chain::to_hex(TokenChain::hash_of_block(transaction.block))},
          {"transactionHash", chain::to_hex(transaction.hash)},
          {"transactionIndex", "0x0"},
          {"logIndex", "0x0"},
          {"removed", false}};
}

bool has_log(const TokenChain::Transaction& transaction) {
  return transaction.is_of_token && transaction.has_succeeded;
}

std::string table_row(const TokenChain::Transaction& transaction) {
  constexpr unsigned coin_decimals = 18;
  const auto amount = chain::with_point(chain::to_digits(chain::word(transaction.value)),
                                        transaction.is_of_token ? unsigned(token_decimals) : coin_decimals);
  std::string cells;
  for (const auto& cell :
       {std::to_string(transaction.block), transaction.from, transaction.to,
        amount + (transaction.is_of_token ? " USDC" : " coins") + (transaction.has_succeeded ? "" : ", failed")})
    cells += "<td>" + cell + "</td>";
  return "<tr>" + cells + "</tr>";
}

// Whether a log's topics begin with those of a filter, of which null matches any.
bool begins_with(const json::array& topics, const json::value* wanted) {
  if (!wanted || !wanted->is_array()) return true;
  const auto& prefix = wanted->get_array();
  if (prefix.size() > topics.size()) return false;
  for (std::size_t index = 0; index < prefix.size(); ++index)
    if (!prefix[index].is_null() && prefix[index] != topics[index]) return false;
  return true;
}

json::object error_object(int code, std::string message) { return {{"code", code}, {"message", std::move(message)}}; }

}  // namespace

std::vector<web::Route> ChainNode::routes() {
  return {
      row(
          web::POST, "/chain", [this](web::Request& request) { return answer(std::string(request.body)); },
          "JSON-RPC of the chain"),
      row(
          web::GET, "/chain", [this](web::Request&) { return show(); }, "Transactions of the chain"),
  };
}

web::Answer ChainNode::answer(std::string body) {
  const auto parsed = web::parse_json(body);
  if (!parsed) co_return parsed.error();
  const auto* request = parsed->if_object();
  const auto* params = request ? request->if_contains("params") : nullptr;
  if (!request || (params && !params->is_array())) co_return web::invalid("Body must be a JSON-RPC request");
  const auto* id = request->if_contains("id");
  json::object reply{{"jsonrpc", "2.0"}, {"id", id ? *id : json::value()}};
  const auto result = call(web::string_member(*request, "method"), params ? params->get_array() : json::array());
  if (result)
    reply["result"] = *result;
  else
    reply["error"] =
        error_object(result.error().message == "execution reverted" ? reverted : refused, result.error().message);
  co_return web::json(reply);
}

web::Result<json::value> ChainNode::call(std::string_view method, const json::array& params) {
  const auto first = web::string_or_empty(&at(params, 0));
  if (method == "eth_chainId") return json::value(quantity(TokenChain::id));
  if (method == "eth_blockNumber") return json::value(quantity(chain_.head()));
  if (method == "eth_getBlockByNumber") return block(at(params, 0));
  if (method == "eth_getBalance") return json::value(quantity(chain_.coins_of(normalised_address(first))));
  if (method == "eth_getTransactionCount")
    return json::value(quantity(chain_.transactions_of(normalised_address(first))));
  if (method == "eth_getCode")
    return json::value(normalised_address(first) == TokenChain::token().lower_case() ? code_of_token : "0x");
  if (method == "eth_maxPriorityFeePerGas" || method == "eth_gasPrice")
    return json::value(quantity(TokenChain::base_fee));
  if (method == "eth_getTransactionReceipt") return receipt(first);
  if (method == "eth_call" && at(params, 0).is_object()) return call_contract(at(params, 0).get_object());
  if (method == "eth_estimateGas" && at(params, 0).is_object()) return estimate(at(params, 0).get_object());
  if (method == "eth_getLogs" && at(params, 0).is_object()) return logs(at(params, 0).get_object());
  if (method == "eth_sendRawTransaction") {
    const auto raw = chain::from_hex(first);
    if (!raw) return web::invalid("invalid transaction");
    const auto hash = chain_.take(*raw);
    if (!hash) return hash.error();
    return json::value(chain::to_hex(*hash));
  }
  return web::invalid("the method " + std::string(method) + " does not exist or its parameters are not valid");
}

web::Result<json::value> ChainNode::call_contract(const json::object& call) {
  const auto data = chain::from_hex(web::string_member(call, "data"));
  if (normalised_address(web::string_member(call, "to")) != TokenChain::token().lower_case() || !data)
    return json::value("0x");
  if (*data == chain::selector("decimals()")) return json::value(chain::to_hex(chain::word(token_decimals)));
  if (data->size() == chain::selector_bytes + chain::word_bytes) {
    const auto account = crypto::EthereumAddress::parse(chain::to_hex(data->substr(chain::selector_bytes + 12)));
    if (account && *data == chain::balance_of(*account))
      return json::value(chain::to_hex(chain::word(chain_.tokens_of(account->lower_case()))));
  }
  return web::invalid("execution reverted");
}

web::Result<json::value> ChainNode::estimate(const json::object& call) {
  const auto from = normalised_address(web::string_member(call, "from"));
  const auto value = chain::number_in(call, "value").value_or(0);
  if (normalised_address(web::string_member(call, "to")) != TokenChain::token().lower_case()) {
    if (chain_.coins_of(from) < value + TokenChain::transfer_gas * TokenChain::base_fee)
      return web::invalid("insufficient funds for gas * price + value");
    return json::value(quantity(TokenChain::transfer_gas));
  }
  const auto data = chain::from_hex(web::string_member(call, "data"));
  const bool is_sound = data && data->size() == chain::selector_bytes + 2 * chain::word_bytes;
  const auto amount =
      is_sound ? chain::small_number(std::string_view(*data).substr(chain::selector_bytes + chain::word_bytes))
               : std::nullopt;
  if (!amount || chain_.tokens_of(from) < *amount) return web::invalid("execution reverted");
  return json::value(quantity(TokenChain::token_gas));
}

json::value ChainNode::block(const json::value& which) const {
  const auto latest = chain_.head();
  const auto number = web::string_or_empty(&which) == "latest" ? std::optional(latest) : chain::quantity(which);
  if (!number || *number > latest) return nullptr;
  const auto now = std::chrono::floor<std::chrono::seconds>(store::now()).time_since_epoch();
  return json::object{{"number", quantity(*number)},
                      {"hash", chain::to_hex(TokenChain::hash_of_block(*number))},
                      {"parentHash", chain::to_hex(TokenChain::hash_of_block(*number - 1))},
                      {"timestamp", quantity(static_cast<std::uint64_t>(now.count()) - 2 * (latest - *number))},
                      {"baseFeePerGas", quantity(TokenChain::base_fee)},
                      {"transactions", json::array()}};
}

json::value ChainNode::receipt(const std::string& hash) const {
  const auto bytes = chain::from_hex(hash);
  const auto* found = bytes ? chain_.find(*bytes) : nullptr;
  if (!found) return nullptr;
  json::array logs;
  if (has_log(*found)) logs.push_back(log_of(*found));
  return json::object{{"transactionHash", hash},
                      {"status", found->has_succeeded ? "0x1" : "0x0"},
                      {"blockNumber", quantity(found->block)},
                      {"blockHash", chain::to_hex(TokenChain::hash_of_block(found->block))},
                      {"from", found->from},
                      {"logs", std::move(logs)}};
}

json::value ChainNode::logs(const json::object& filter) const {
  const auto wanted = normalised_address(web::string_member(filter, "address"));
  const auto* topics = filter.if_contains("topics");
  json::array found;
  if (!wanted.empty() && wanted != TokenChain::token().lower_case()) return found;
  for (const auto* each : chain_.since(chain::number_in(filter, "fromBlock").value_or(0))) {
    if (!has_log(*each)) continue;
    auto log = log_of(*each);
    if (begins_with(log.at("topics").as_array(), topics)) found.push_back(std::move(log));
  }
  return found;
}

web::Answer ChainNode::show() const {
  auto all = chain_.since(0);
  std::ranges::reverse(all);
  all.resize(std::min(all.size(), max_shown_transactions));
  std::string rows;
  for (const auto* each : all) rows += table_row(*each);
  co_return page("Chain", "<p>Block " + std::to_string(chain_.head()) + ". The token is at " +
                              TokenChain::token().checksummed() +
                              ". Each account begins with one coin and 100 tokens. This chain exists inside the demo "
                              "only.</p><table><tr><th>Block</th><th>From</th><th>To</th><th>Amount</th></tr>" +
                              rows + "</table>");
}

}  // namespace demo
