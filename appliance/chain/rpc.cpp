#include "appliance/chain/rpc.h"

#include <charconv>

#include "appliance/chain/abi.h"
#include "web/fetch.h"
#include "web/fields.h"

namespace chain {

namespace {

constexpr std::chrono::milliseconds deadline{5'000};
constexpr std::size_t answer_bytes = 1u << 20;
// Ten million: several deployments' worth, and a bound to what a stranger's contract makes the node do.
constexpr std::string_view gas_limit = "0x989680";

web::Error no_answer(std::string detail) {
  return web::unavailable("The chain cannot be asked right now, please try again later", std::move(detail));
}

// JSON-RPC has no code for "the call reverted" that all nodes share: 3 is geth's, the others say so in words.
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

}  // namespace

// The result; null for a call that reverted, since no method of ours answers null otherwise.
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
  if (result == nullptr || !result->is_string()) co_return no_answer(method + " answered without a result");
  co_return boost::json::value(*result);
}

web::Task<web::Result<void>> Rpc::check_chain() {
  if (!is_configured()) co_return web::unavailable("No chain is configured on this box: set L2_RPC_URL");
  if (chain_checked_) co_return web::Result<void>();
  const auto answered = co_await ask("eth_chainId", {});
  if (!answered) co_return answered.error();
  const std::string text = answered->is_string() ? std::string(answered->get_string()) : std::string();
  std::uint64_t id = 0;
  if (!text.starts_with("0x") ||
      std::from_chars(text.data() + 2, text.data() + text.size(), id, 16).ec != std::errc() || id != chain_id_)
    co_return no_answer("L2_RPC_URL is on chain " + text + ", not on L2_CHAIN_ID " + std::to_string(chain_id_));
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

}  // namespace chain
