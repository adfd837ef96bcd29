#include "appliance/payments/acceptance/gateway_handlers.h"

#include <array>
#include <boost/describe/enum_from_string.hpp>

#include "appliance/foundation/crypto/base64url.h"
#include "appliance/hosting/rate_groups.h"
#include "appliance/payments/acceptance/x402.h"
#include "web/json.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace gateway {

namespace json = boost::json;

namespace {

web::Result<PaymentCredentials> read_presented(const web::Request& request, const GatewayRequest& body) {
  PaymentCredentials presented{
      .payment_signature = request.header("PAYMENT-SIGNATURE"),
      .x_payment = request.header("X-PAYMENT"),
      .authorization = mpp::payment_credential(request.header("Authorization")).value_or(std::string_view()),
      .source = body.payment ? boost::describe::enum_to_string(*body.payment, "") : "",
      .user = request.caller.user_id};
  const int count = (presented.payment_signature.empty() ? 0 : 1) + (presented.x_payment.empty() ? 0 : 1) +
                    (presented.authorization.empty() ? 0 : 1) + (presented.source.empty() ? 0 : 1);
  if (count > 1)
    return web::invalid("Pay in one way: PAYMENT-SIGNATURE, X-PAYMENT, Authorization: Payment, or payment in the body");
  return presented;
}

bool has_payment(const PaymentCredentials& presented) {
  return presented.is_x402() || !presented.authorization.empty() || !presented.source.empty();
}

// "verification-failed" is "Verification Failed".
std::string title_of(std::string problem) {
  bool begins = true;
  for (char& c : problem) {
    if (begins && c >= 'a') c = static_cast<char>(c - 'a' + 'A');
    begins = c == '-';
    if (begins) c = ' ';
  }
  return problem;
}

// 402: how the sale can be paid and, if a payment was refused, why. The body is the contract's error, a problem as MPP
// has it (RFC 9457), and the requirements of x402 version 1.
web::Response demand(PaymentOptions offer, const web::Error& why) {
  auto problem = web::string_member(why.extra, "problem");
  if (problem.empty()) problem = why.code == "PAYMENT_REQUIRED" ? payment_required : payment_insufficient;
  json::object body{
      {"error", why.message},       {"code", why.code}, {"type", "https://paymentauth.org/problems/" + problem},
      {"title", title_of(problem)}, {"status", 402},    {"detail", why.message}};
  for (const auto& [name, value] : why.extra)
    if (name != "problem") body[name] = value;
  for (auto& [name, value] : offer.body) body[name] = std::move(value);
  auto response = web::json(body, 402);
  response.content_type = "application/problem+json";
  response.set("Cache-Control", "no-store");
  for (auto& [name, value] : offer.headers) response.set(name, std::move(value));
  return response;
}

// 401 comes before 402, and says how to pay without signing in.
web::Response with_challenges(web::Response response, PaymentOptions offer) {
  for (auto& [name, value] : offer.headers) response.set(name, std::move(value));
  response.set("Cache-Control", "no-store");
  return response;
}

web::Error nothing_presented() {
  return {.kind = web::Kind::payment_required, .message = "Payment required", .code = "PAYMENT_REQUIRED"};
}

void add_settlement(web::Response& response, const PaymentCredentials& presented, const x402::Settlement& settled,
                    std::uint64_t chain_id) {
  const int version = presented.x402_version();
  response.set(version == 1 ? "X-PAYMENT-RESPONSE" : "PAYMENT-RESPONSE",
               x402::header_of(x402::settlement(settled, version, chain_id)));
}

// How it was paid, in the header that the way of payment has for it.
void add_receipt(web::Response& response, const PaymentCredentials& presented, const SaleReceipt& sold,
                 const Sale& sale, std::uint64_t chain_id) {
  if (presented.is_x402()) {
    const x402::Settlement settled{.success = true,
                                   .reason = {},
                                   .transaction = sold.transaction,
                                   .payer = sold.payer,
                                   .amount = std::to_string(sale.price.micro())};
    add_settlement(response, presented, settled, chain_id);
  } else if (!presented.authorization.empty()) {
    const json::object receipt{{"status", "success"},
                               {"method", sold.method},
                               {"timestamp", web::iso8601(store::now())},
                               {"reference", sold.transaction}};
    response.set("Payment-Receipt", crypto::to_base64url(json::serialize(receipt)));
    response.set("Cache-Control", "private");
  }
}

constexpr const char* sell_text =
    "`plugin` is summarize (`input`: {url, format?}; format markdown or text adds the main article), extract (`input`: "
    "{url}), models (`input`: a chat completion in OpenAI's form, without stream; `max_tokens` is 1,024 unless given, "
    "at most 16,384) or skills (`action`: a skill that the box sells; `input`: the skill's inputs). `action` may be "
    "left out for the others: summarize, extract, chat.\n\n"
    "Without a payment the answer is 402, also for an unknown plugin, and for the others with every way that the box "
    "is configured for: x402 version 2 in the header "
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

web::Answer sell(const Services& services, const web::Request& request, GatewayRequest body) {
  const auto presented = read_presented(request, body);
  if (!presented) co_return presented.error();
  Plugin plugin{};
  if (!boost::describe::enum_from_string(body.plugin.c_str(), plugin)) {
    // The contract has no look at the plugin before the payment.
    if (!has_payment(*presented)) co_return demand({}, nothing_presented());
    co_return web::invalid("plugin must be one of: summarize, extract, models, skills");
  }
  std::string action = body.action ? std::string(*body.action) : std::string();
  auto sale = co_await services.plugins.prepare(plugin, std::move(action), std::move(body.input));
  if (!sale) co_return sale.error();
  sale->url = services.site.url("/api/v1/gateway");
  sale->digest = mpp::digest_of(request.body);
  if (!has_payment(*presented)) {
    auto offer = co_await services.gateway.offer(*sale, presented->user);
    co_return demand(std::move(offer), nothing_presented());
  }
  auto sold = co_await services.gateway.charge(*presented, *sale);
  if (!sold) {
    const bool must_sign_in = sold.error().kind == web::Kind::unauthenticated;
    if (!must_sign_in && sold.error().kind != web::Kind::payment_required) co_return sold.error();
    auto offer = co_await services.gateway.offer(*sale, presented->user);
    if (must_sign_in) co_return with_challenges(web::error_response(sold.error()), std::move(offer));
    auto response = demand(std::move(offer), sold.error());
    const auto reason = web::string_member(sold.error().extra, "reason");
    if (presented->is_x402())
      add_settlement(response, *presented,
                     {.success = false, .reason = reason, .transaction = {}, .payer = {}, .amount = {}},
                     services.gateway.chain_id());
    co_return response;
  }
  GatewayAnswer answer{.success = true,
                       .plugin = sale->plugin,
                       .action = sale->action,
                       .result = std::move(sold->result),
                       .payment = {.way = sold->way,
                                   .amount = sale->price.to_string(),
                                   .network = sold->network,
                                   .transaction = sold->transaction,
                                   .payer = sold->payer}};
  auto response = web::reply(answer, 200);
  add_receipt(response, *presented, *sold, *sale, services.gateway.chain_id());
  co_return response;
}

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
