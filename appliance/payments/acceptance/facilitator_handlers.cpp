#include "appliance/payments/acceptance/facilitator_handlers.h"

#include "web/routes/endpoint.h"

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

std::optional<std::string> non_empty(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

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
                      .payer = non_empty(std::move(verdict->payer))};
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
                            .errorReason = non_empty(std::move(settled->reason)),
                            .payer = non_empty(std::move(settled->payer)),
                            .transaction = std::move(settled->transaction),
                            .network = network_name(services.facilitator.chain_id(), version),
                            .amount = non_empty(std::move(settled->amount))};
  co_return reply_without_nulls(answer);
}

const web::RateLimit x402_rate{.group = "x402", .limit = 300};

constexpr const char* verify_text =
    "For services that the box's users run elsewhere. `paymentPayload` and `paymentRequirements` are those of x402, "
    "version 1 or 2, scheme `exact`, in the USDC of the box's chain. The signature (of a key or a smart wallet, in the "
    "token's own domain), receiver, exact amount, time window, nonce and balance are checked, and the transfer is "
    "simulated. A payment that is not valid is 200, too, with `invalidReason`. 503 on a box without a chain.";

constexpr const char* settle_text =
    "Verifies the payment and sends it from the box's wallet, which pays for the gas; answers once it is in a block. A "
    "payment is settled once. 503 while the outcome is unknown: ask again. Amounts below X402_SETTLE_MINIMUM are not "
    "settled; 402 PLAN_REQUIRED below the plan of X402_SETTLE_PLAN, 429 DAILY_LIMIT_REACHED beyond X402_SETTLE_DAILY "
    "payments of a user in a day (UTC).";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  using web::Kind;
  return {
      {web::GET, "/x402/supported", guards.none, &x402_rate,
       web::plain(on(show_supported))
           .returns<SupportedAnswer>()
           .describe("Empty on a box without a chain. `signers` are the accounts that send the transfers."),
       "What the box settles as a facilitator of x402"},
      {web::POST, "/x402/verify", guards.user_key, &x402_rate,
       web::body<FacilitatorRequest>(on(verify_payment))
           .returns<VerifyAnswer>()
           .fails({Kind::unavailable})
           .describe(verify_text),
       "Verify a payment of x402"},
      {web::POST, "/x402/settle", guards.user_key, &x402_rate,
       web::body<FacilitatorRequest>(on(settle_payment))
           .returns<SettleAnswer>()
           .fails({Kind::payment_required, Kind::unavailable})
           .describe(settle_text),
       "Settle a payment of x402"},
  };
}

}  // namespace x402
