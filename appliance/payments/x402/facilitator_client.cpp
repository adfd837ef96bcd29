#include "appliance/payments/x402/facilitator_client.h"

#include "web/client/fetch.h"
#include "web/routes/fields.h"

namespace x402 {

namespace json = boost::json;

namespace {

constexpr std::chrono::seconds verify_time{10}, settle_time{60};
constexpr std::size_t answer_bytes = 64 * 1024, reason_characters = 100;

web::Error no_answer(std::string detail) {
  return web::unavailable("The payment cannot be settled right now, please try again later", std::move(detail));
}

const bool* flag_in(const json::object& object, std::string_view name) {
  const auto* found = object.if_contains(name);
  return found == nullptr ? nullptr : found->if_bool();
}

std::string text_in(const json::object& object, std::string_view name) {
  const auto* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()).substr(0, reason_characters)
                                                : std::string();
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
  request.asker.part = "payments";
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
  auto reason = text_in(*answer, "invalidReason");
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
                       .reason = text_in(*answer, "errorReason"),
                       .transaction = text_in(*answer, "transaction"),
                       .payer = {},
                       .amount = {}};
}

}  // namespace x402
