#include "appliance/foundation/chain/rpc.h"

#include <charconv>

#include "appliance/foundation/chain/abi.h"
#include "web/fetch.h"
#include "web/fields.h"

namespace chain {

namespace {

constexpr std::chrono::milliseconds deadline{5'000};
constexpr std::size_t answer_bytes = 1u << 20;
// Ten million: enough for several deployments, and a bound on the work of untrusted contracts.
constexpr std::string_view gas_limit = "0x989680";

web::Error no_answer(std::string detail) {
  return web::unavailable("The chain cannot be asked right now, please try again later", std::move(detail));
}

// JSON-RPC has no code for "the call reverted" that all nodes share: 3 is geth's, other nodes say so in the message.
bool is_revert(const boost::json::object& error) {
  const auto* code = error.if_contains("code");
  if (code != nullptr && code->is_int64() && code->get_int64() == 3) return true;
  const auto* message = error.if_contains("message");
  if (message == nullptr || !message->is_string()) return false;
  const std::string_view text = message->get_string();
  for (const std::string_view word : {"revert", "invalid opcode", "out of gas", "VM Exception"})
    if (text.find(word) != std::string_view::npos) return true;
  return false;
}

std::optional<std::string> bytes_in(const boost::json::object& object, std::string_view name) {
  const auto* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? from_hex(found->get_string()) : std::nullopt;
}

std::optional<Receipt::Log> read_log(const boost::json::value& value) {
  if (!value.is_object()) return std::nullopt;
  const auto& object = value.get_object();
  const auto contract = bytes_in(object, "address");
  auto data = bytes_in(object, "data");
  const auto* topics = object.if_contains("topics");
  if (!contract || !data || topics == nullptr || !topics->is_array()) return std::nullopt;
  Receipt::Log log{.contract = to_hex(*contract), .data = std::move(*data)};
  for (const auto& topic : topics->get_array()) {
    auto word = topic.is_string() ? from_hex(topic.get_string()) : std::nullopt;
    if (!word || word->size() != word_bytes) return std::nullopt;
    log.topics.push_back(std::move(*word));
  }
  return log;
}

std::optional<Receipt> read_receipt(const boost::json::value& value) {
  if (!value.is_object()) return std::nullopt;
  const auto& object = value.get_object();
  const auto *status = object.if_contains("status"), *logs = object.if_contains("logs");
  if (status == nullptr || !status->is_string() || logs == nullptr || !logs->is_array()) return std::nullopt;
  Receipt receipt{.has_succeeded = status->get_string() == "0x1"};
  for (const auto& entry : logs->get_array()) {
    auto log = read_log(entry);
    if (!log) return std::nullopt;
    receipt.logs.push_back(std::move(*log));
  }
  return receipt;
}

}  // namespace

// The result; null also for a reverted call, since no call returns null otherwise.
web::Task<web::Result<boost::json::value>> Rpc::ask(std::string method, boost::json::array params) {
  const boost::json::object call{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}};
  web::FetchRequest request{.url = url_,
                            .method = "POST",
                            .headers = {{"Content-Type", "application/json"}},
                            .body = boost::json::serialize(call)};
  request.timeout = deadline;
  request.max_bytes = answer_bytes;
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return no_answer(response.error().message);
  const auto answer = web::parse_json(response->body);
  if (!answer || !answer->is_object())
    co_return no_answer(method + " answered no JSON, status " + std::to_string(response->status));
  const auto& members = answer->get_object();
  if (const auto* error = members.if_contains("error"); error != nullptr && error->is_object()) {
    if (is_revert(error->get_object())) co_return boost::json::value(nullptr);
    co_return no_answer(method + ": " + boost::json::serialize(*error).substr(0, 500));
  }
  const auto* result = members.if_contains("result");
  if (result == nullptr) co_return no_answer(method + " answered without a result");
  co_return boost::json::value(*result);
}

web::Task<web::Result<void>> Rpc::check_chain() {
  if (!is_configured()) co_return web::unavailable("No chain is configured on this box: set " + setting_);
  if (chain_checked_) co_return web::Result<void>();
  const auto answered = co_await ask("eth_chainId", {});
  if (!answered) co_return answered.error();
  const std::string text = answered->is_string() ? std::string(answered->get_string()) : std::string();
  std::uint64_t id = 0;
  if (!text.starts_with("0x") ||
      std::from_chars(text.data() + 2, text.data() + text.size(), id, 16).ec != std::errc() || id != chain_id_)
    co_return no_answer(setting_ + " is on chain " + text + ", not on " + std::to_string(chain_id_));
  chain_checked_ = true;
  co_return web::Result<void>();
}

web::Task<web::Result<bool>> Rpc::has_code(crypto::EthereumAddress address) {
  const auto checked = co_await check_chain();
  if (!checked) co_return checked.error();
  boost::json::array params{address.lower_case(), "latest"};
  const auto code = co_await ask("eth_getCode", std::move(params));
  if (!code) co_return code.error();
  co_return code->is_string() && code->get_string().size() > 2;
}

web::Task<web::Result<std::string>> Rpc::call(boost::json::object transaction) {
  const auto checked = co_await check_chain();
  if (!checked) co_return checked.error();
  transaction["gas"] = gas_limit;
  boost::json::array params{std::move(transaction), "latest"};
  const auto returned = co_await ask("eth_call", std::move(params));
  if (!returned) co_return returned.error();
  if (!returned->is_string()) co_return std::string();
  auto bytes = from_hex(returned->get_string());
  if (!bytes) co_return no_answer("eth_call answered something else than hex");
  co_return std::move(*bytes);
}

web::Task<web::Result<std::string>> Rpc::call(crypto::EthereumAddress to, std::string data) {
  boost::json::object transaction{{"to", to.lower_case()}, {"data", to_hex(data)}};
  co_return co_await call(std::move(transaction));
}

web::Task<web::Result<std::string>> Rpc::call_creation(std::string code) {
  boost::json::object transaction{{"data", to_hex(code)}};
  co_return co_await call(std::move(transaction));
}

web::Task<web::Result<std::optional<Receipt>>> Rpc::receipt(std::string hash) {
  const auto checked = co_await check_chain();
  if (!checked) co_return checked.error();
  boost::json::array params{hash};
  const auto answered = co_await ask("eth_getTransactionReceipt", std::move(params));
  if (!answered) co_return answered.error();
  std::optional<Receipt> receipt;
  if (answered->is_null()) co_return receipt;
  receipt = read_receipt(*answered);
  if (!receipt) co_return no_answer("eth_getTransactionReceipt answered no receipt");
  co_return receipt;
}

}  // namespace chain
