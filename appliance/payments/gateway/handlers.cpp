#include "appliance/payments/gateway/handlers.h"

#include <array>

#include "appliance/foundation/crypto/base64url.h"
#include "appliance/payments/x402/wire.h"
#include "web/routes/reply.h"

namespace gateway {

namespace json = boost::json;

namespace {

web::Result<Presented> read_presented(const web::Request& request, const GatewayRequest& body) {
  Presented presented{
      .payment_signature = request.header("PAYMENT-SIGNATURE"),
      .x_payment = request.header("X-PAYMENT"),
      .authorization = mpp_charge::payment_credential(request.header("Authorization")).value_or(std::string_view()),
      .purse = body.payment ? boost::describe::enum_to_string(*body.payment, "") : "",
      .user = request.caller.user_id};
  const int count = (presented.payment_signature.empty() ? 0 : 1) + (presented.x_payment.empty() ? 0 : 1) +
                    (presented.authorization.empty() ? 0 : 1) + (presented.purse.empty() ? 0 : 1);
  if (count > 1)
    return web::invalid("Pay in one way: PAYMENT-SIGNATURE, X-PAYMENT, Authorization: Payment, or payment in the body");
  return presented;
}

bool has_payment(const Presented& presented) {
  return presented.is_x402() || !presented.authorization.empty() || !presented.purse.empty();
}

std::string text_in(const json::object& object, std::string_view name) {
  const auto* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
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
web::Response demand(Offer offer, const web::Error& why) {
  auto problem = text_in(why.extra, "problem");
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
web::Response with_challenges(web::Response response, Offer offer) {
  for (auto& [name, value] : offer.headers) response.set(name, std::move(value));
  response.set("Cache-Control", "no-store");
  return response;
}

web::Error nothing_presented() {
  return {.kind = web::Kind::payment_required, .message = "Payment required", .code = "PAYMENT_REQUIRED"};
}

void add_settlement(web::Response& response, const Presented& presented, const x402::Settlement& settled,
                    std::uint64_t chain_id) {
  const int version = presented.x402_version();
  response.set(version == 1 ? "X-PAYMENT-RESPONSE" : "PAYMENT-RESPONSE",
               x402::header_of(x402::settlement(settled, version, chain_id)));
}

// How it was paid, in the header that the way of payment has for it.
void add_receipt(web::Response& response, const Presented& presented, const Sold& sold, const Sale& sale,
                 std::uint64_t chain_id) {
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

}  // namespace

web::Answer sell(const Services& services, const web::Request& request, GatewayRequest body) {
  const auto presented = read_presented(request, body);
  if (!presented) co_return presented.error();
  std::string action = body.action ? std::string(*body.action) : std::string();
  auto sale = co_await services.plugins.prepare(body.plugin, std::move(action), std::move(body.input));
  if (!sale) co_return sale.error();
  sale->url = services.site.url("/api/v1/gateway");
  sale->digest = mpp_charge::digest_of(request.body);
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
    const auto reason = text_in(sold.error().extra, "reason");
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

}  // namespace gateway
