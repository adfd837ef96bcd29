#include "appliance/payments/acceptance/facilitator_client.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/amount.h"
#include "web/client/fetch.h"
#include "web/json.h"
#include "web/log.h"
#include "web/routes/fields.h"

namespace x402 {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;
using eip3009::Submission;

constexpr std::chrono::seconds verify_time{10}, settle_time{60};
constexpr std::size_t answer_bytes = 64 * 1024, max_member_bytes = 100;
constexpr auto poll_every = 500ms;
constexpr int max_polls = 20;

web::Error no_answer(std::string detail) {
  return web::unavailable("The payment cannot be settled right now, please try again later", std::move(detail));
}

const bool* flag_in(const json::object& object, std::string_view name) {
  const auto* found = object.if_contains(name);
  return found == nullptr ? nullptr : found->if_bool();
}

std::string capped_member(const json::object& object, std::string_view name) {
  return web::string_member(object, name).substr(0, max_member_bytes);
}

Submission refused(std::string reason) {
  return {.state = Submission::State::refused, .transaction = {}, .reason = std::move(reason)};
}

// The facilitator's word is not enough: the chain must show the transfer.
web::Task<bool> is_on_chain(eip3009::Token& token, const eip3009::Authorization& authorization, std::string hash) {
  const auto bytes = chain::from_hex(hash);
  if (!bytes || bytes->size() != chain::word_bytes) co_return false;
  for (int polls = 0; polls < max_polls; ++polls) {
    const auto receipt = co_await token.rpc().receipt(hash);
    if (receipt && *receipt) co_return eip3009::moves(**receipt, token.address(), authorization);
    co_await web::sleep_for(poll_every);
  }
  co_return false;
}

}  // namespace

web::Task<web::Result<json::object>> FacilitatorClient::ask(std::string route, eip3009::Authorization authorization,
                                                            Requirements required) const {
  const json::object body{{"x402Version", 2},
                          {"paymentPayload", payload_v2(authorization, required)},
                          {"paymentRequirements", requirements_v2(required)}};
  web::FetchRequest request{.url = url_ + route, .method = "POST", .body = json::serialize(body)};
  request.headers.emplace_back("Content-Type", "application/json");
  if (!key_.empty()) request.headers.emplace_back("Authorization", "Bearer " + key_);
  request.timeout = route == "/settle" ? settle_time : verify_time;
  request.origin.part = "payments";
  request.max_bytes = answer_bytes;
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return no_answer("X402_FACILITATOR_URL: " + response.error().message);
  auto answer = web::parse_json(response->body, "The answer");
  if (!answer || !answer->is_object())
    co_return no_answer("X402_FACILITATOR_URL answered no JSON object, status " + std::to_string(response->status));
  co_return std::move(answer->get_object());
}

web::Task<web::Result<std::optional<eip3009::Refusal>>> FacilitatorClient::verify(eip3009::Authorization authorization,
                                                                                  Requirements required) const {
  const auto answer = co_await ask("/verify", std::move(authorization), std::move(required));
  if (!answer) co_return answer.error();
  const auto* is_valid = flag_in(*answer, "isValid");
  if (is_valid == nullptr) co_return no_answer("X402_FACILITATOR_URL answered /verify without isValid");
  if (*is_valid) co_return std::optional<eip3009::Refusal>();
  auto reason = capped_member(*answer, "invalidReason");
  if (reason.empty()) reason = "invalid_payload";
  co_return eip3009::Refusal{.reason = reason, .message = "The facilitator refuses this payment: " + reason + "."};
}

web::Task<web::Result<Settlement>> FacilitatorClient::settle(eip3009::Authorization authorization,
                                                             Requirements required) const {
  const auto answer = co_await ask("/settle", std::move(authorization), std::move(required));
  if (!answer) co_return answer.error();
  const auto* success = flag_in(*answer, "success");
  if (success == nullptr) co_return no_answer("X402_FACILITATOR_URL answered /settle without success");
  co_return Settlement{.success = *success,
                       .reason = capped_member(*answer, "errorReason"),
                       .transaction = capped_member(*answer, "transaction"),
                       .payer = {},
                       .amount = {}};
}

web::Task<Submission> FacilitatorSubmitter::submit(eip3009::Token& token, eip3009::Authorization authorization) {
  const auto domain = co_await token.domain();
  if (!domain) co_return Submission{};
  const Requirements required{.chain_id = token.rpc().chain_id(),
                              .asset = token.address(),
                              .pay_to = authorization.to,
                              .amount = chain::to_digits(authorization.value),
                              .name = (*domain)->name,
                              .version = (*domain)->version};
  const auto verdict = co_await client_.verify(authorization, required);
  if (!verdict) {
    web::log::warning("facilitator_failed", {{"reason", verdict.error().detail}});
    co_return Submission{};
  }
  if (*verdict) co_return refused((*verdict)->reason);
  const auto settled = co_await client_.settle(authorization, required);
  if (!settled) {
    web::log::warning("facilitator_failed", {{"reason", settled.error().detail}});
    co_return Submission{};
  }
  if (!settled->success) co_return refused(settled->reason);
  const bool is_visible = co_await is_on_chain(token, authorization, settled->transaction);
  if (!is_visible) co_return Submission{};
  co_return Submission{.state = Submission::State::settled, .transaction = settled->transaction};
}

}  // namespace x402
