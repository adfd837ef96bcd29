#include "appliance/payments/gateway/routes.h"

#include "appliance/hosting/rate_groups.h"
#include "appliance/payments/gateway/handlers.h"
#include "web/routes/endpoint.h"

namespace gateway {

namespace {

constexpr const char* sell_text =
    "`plugin` is summarize (`input`: {url, format?}; format markdown or text adds the main article), extract (`input`: "
    "{url}), models (`input`: a chat completion in OpenAI's form, without stream; `max_tokens` is 1,024 unless given, "
    "at most 16,384) or skills (`action`: a skill that the box sells; `input`: the skill's inputs). `action` may be "
    "left out for the others: summarize, extract, chat.\n\n"
    "Without a payment the answer is 402 with every way that the box is configured for: x402 version 2 in the header "
    "PAYMENT-REQUIRED and version 1 in the body (`x402Version`, `accepts`), MPP in WWW-Authenticate: Payment (methods "
    "`evm` and `tempo`, intent `charge`), and, for users who have signed in, their balance on the box's ledger or "
    "their credits, with the address at which a card buys some. 401 with the same headers when a payment from the "
    "account comes without a session. `price` is in USDC. A call of `models` costs the plugin's price and, at the "
    "catalogue's prices, the most tokens that it "
    "can "
    "use. Pay by sending the same request again with PAYMENT-SIGNATURE (x402 version 2), X-PAYMENT (version 1), "
    "Authorization: Payment (MPP), or with `payment` \"balance\" or \"credits\" in the body.\n\n"
    "A payment of x402 or by MPP's `evm` is settled after the plugin has delivered, so a failure costs nothing "
    "(`charged` is false). A payment on Tempo is made before; if the plugin fails, it is kept (`credited` is true), "
    "and "
    "the same request with the same credential may be sent again. 503 with SETTLEMENT_PENDING: send the same request "
    "with the same credential again, which is charged once. A malformed payment of x402 is 400, one that does not "
    "count "
    "402, with `reason` in x402's codes and `type` as MPP names problems.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  using web::Kind;
  return {
      {web::POST, "/api/v1/gateway", guards.session_optional, &hosting::agents_rate,
       web::body<GatewayRequest>(on(sell))
           .returns<GatewayAnswer>()
           .fails({Kind::payment_required, Kind::not_found, Kind::bad_gateway, Kind::unavailable, Kind::timeout})
           .describe(sell_text),
       "Buy one use of a plugin"},
  };
}

}  // namespace gateway
