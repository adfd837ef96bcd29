#include "appliance/payments/x402/routes.h"

#include "appliance/payments/x402/handlers.h"
#include "web/routes/endpoint.h"

namespace x402 {

namespace {

const web::RateLimit x402_rate{.group = "x402", .limit = 300};

constexpr const char* verify_text =
    "For services that the box's users run elsewhere. `paymentPayload` and `paymentRequirements` are those of x402, "
    "version 1 or 2, scheme `exact`, in the USDC of the box's chain. The signature (of a key or a smart wallet, in the "
    "token's own domain), receiver, exact amount, time window, nonce and balance are checked, and the transfer is "
    "simulated. A payment that is not valid is 200, too, with `invalidReason`. 503 on a box without a chain.";

constexpr const char* settle_text =
    "Verifies the payment and sends it from the box's wallet, which pays for the gas; answers once it is in a block. A "
    "payment is settled once. 503 while the outcome is unknown: ask again.";

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
           .fails({Kind::unavailable})
           .describe(settle_text),
       "Settle a payment of x402"},
  };
}

}  // namespace x402
