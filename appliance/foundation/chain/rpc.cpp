#include "appliance/foundation/chain/rpc.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/rpc_answers.h"
#include "web/client/fetch.h"
#include "web/routes/fields.h"

namespace chain {

namespace {

constexpr std::chrono::milliseconds deadline{5'000};
constexpr std::size_t answer_bytes = 1u << 20;
// Ten million: enough for several deployments, and a bound on the work of untrusted contracts.
constexpr std::string_view gas_limit = "0x989680";

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
  Receipt receipt{.has_succeeded = status->get_string() == "0x1",
                  .logs = {},
                  .block = number_in(object, "blockNumber"),
                  .block_hash = bytes_in(object, "blockHash")};
  for (const auto& entry : logs->get_array()) {
    auto log = read_log(entry);
    if (!log) return std::nullopt;
    receipt.logs.push_back(std::move(*log));
  }
  return receipt;
}

}  // namespace

web::Task<web::Result<Rpc::Reply>> Rpc::exchange(std::string method, boost::json::array params) {
  const boost::json::object call{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}};
  web::FetchRequest request{.url = url_,
                            .method = "POST",
                            .headers = {{"Content-Type", "application/json"}},
                            .body = boost::json::serialize(call)};
  request.origin.part = "chain";
  request.timeout = deadline;
  request.max_bytes = answer_bytes;
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return no_answer(response.error().message);
  const auto answer = web::parse_json(response->body);
  if (!answer || !answer->is_object())
    co_return no_answer(method + " answered no JSON, status " + std::to_string(response->status));
  const auto& members = answer->get_object();
  if (const auto* error = members.if_contains("error"); error != nullptr && error->is_object())
    co_return Reply{.result = nullptr, .error = error->get_object()};
  const auto* result = members.if_contains("result");
  if (result == nullptr) co_return no_answer(method + " answered without a result");
  co_return Reply{.result = *result, .error = {}};
}

web::Task<web::Result<boost::json::value>> Rpc::ask(std::string method, boost::json::array params) {
  auto reply = co_await exchange(method, std::move(params));
  if (!reply) co_return reply.error();
  if (reply->error && !is_revert(*reply->error))
    co_return no_answer(method + ": " + boost::json::serialize(*reply->error).substr(0, 500));
  co_return std::move(reply->result);
}

web::Task<web::Result<boost::json::value>> Rpc::ask_chain(std::string method, boost::json::array params) {
  const auto checked = co_await check_chain();
  if (!checked) co_return checked.error();
  co_return co_await ask(std::move(method), std::move(params));
}

web::Task<web::Result<void>> Rpc::check_chain() {
  if (!is_configured()) co_return web::unavailable("No chain is configured on this box: set " + setting_);
  if (chain_checked_) co_return web::Result<void>();
  const auto answered = co_await ask("eth_chainId", {});
  if (!answered) co_return answered.error();
  if (quantity(*answered) != chain_id_)
    co_return no_answer(setting_ + " is on chain " + boost::json::serialize(*answered).substr(0, 40) + ", not on " +
                        std::to_string(chain_id_));
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
