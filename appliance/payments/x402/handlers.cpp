#include "appliance/payments/x402/handlers.h"

namespace x402 {

namespace {

FacilitatorOrder order_of(FacilitatorRequest body) {
  return {.version = static_cast<int>(body.x402Version.value),
          .payload = std::move(body.paymentPayload),
          .requirements = std::move(body.paymentRequirements)};
}

// Clients take an absent member for none, but not null.
template <class Answer>
web::Response reply_without_nulls(const Answer& answer) {
  auto members = web::to_json(answer);
  boost::json::object body;
  for (const auto& [name, value] : members.as_object())
    if (!value.is_null()) body[name] = value;
  return web::json(body);
}

std::optional<std::string> given(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

}  // namespace

web::Answer show_supported(const Services& services, const web::Request&) {
  SupportedAnswer answer;
  const auto& facilitator = services.facilitator;
  if (facilitator.is_open()) {
    for (const int version : {2, 1})
      if (auto network = network_name(facilitator.chain_id(), version); !network.empty())
        answer.kinds.push_back({.x402Version = version, .scheme = std::string(scheme), .network = std::move(network)});
    if (auto signer = facilitator.signer(); !signer.empty()) answer.signers["eip155:*"].push_back(std::move(signer));
  }
  co_return web::reply(answer, 200);
}

web::Answer verify_payment(const Services& services, const web::Request&, FacilitatorRequest body) {
  auto verdict = co_await services.facilitator.verify(order_of(std::move(body)));
  if (!verdict) co_return verdict.error();
  VerifyAnswer answer{.isValid = !verdict->refusal,
                      .invalidReason = {},
                      .invalidMessage = {},
                      .payer = given(std::move(verdict->payer))};
  if (verdict->refusal) {
    answer.invalidReason = verdict->refusal->reason;
    answer.invalidMessage = verdict->refusal->message;
  }
  co_return reply_without_nulls(answer);
}

web::Answer settle_payment(const Services& services, const web::Request& request, FacilitatorRequest body) {
  const auto version = static_cast<int>(body.x402Version.value);
  auto settled = co_await services.facilitator.settle(order_of(std::move(body)), request.caller.user_id);
  if (!settled) co_return settled.error();
  const SettleAnswer answer{.success = settled->success,
                            .errorReason = given(std::move(settled->reason)),
                            .payer = given(std::move(settled->payer)),
                            .transaction = std::move(settled->transaction),
                            .network = network_name(services.facilitator.chain_id(), version),
                            .amount = given(std::move(settled->amount))};
  co_return reply_without_nulls(answer);
}

}  // namespace x402
