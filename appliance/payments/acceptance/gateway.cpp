#include "appliance/payments/acceptance/gateway.h"

#include "appliance/foundation/chain/uint256.h"
#include "appliance/payments/acceptance/challenge.h"
#include "appliance/payments/acceptance/x402.h"

namespace gateway {

namespace json = boost::json;

namespace {

// Amounts have the same decimals in USDC and pathUSD.
std::string atomic(const Sale& sale) { return std::to_string(sale.price.micro()); }
std::string word(const Sale& sale) { return chain::word_of_digits(atomic(sale)).value(); }

constexpr std::string_view not_configured =
    "This box accepts no payments yet. Its administrator has to set PAYMENT_RECEIVER, and L2_RPC_URL (USDC by x402 and "
    "MPP) or PAYMENT_RPC_URL (Tempo by MPP). Users who have signed in can pay from their account.";
constexpr std::string_view chain_down = "The chain of this box's payments cannot be reached right now.";

web::Error not_offered(std::string_view what) {
  return web::invalid("This box does not offer the payment method " + std::string(what));
}

}  // namespace

web::Task<web::Result<SaleReceipt>> Gateway::charge(PaymentCredentials presented, const Sale& sale) {
  if (presented.is_x402()) co_return co_await charge_x402(presented, sale);
  if (!presented.authorization.empty()) co_return co_await charge_mpp(presented.authorization, sale);
  if (presented.user == 0) co_return web::unauthenticated("Sign in to pay from your account");
  co_return co_await by_balance_.charge(presented.source, presented.user, sale);
}

web::Task<web::Result<SaleReceipt>> Gateway::charge_x402(const PaymentCredentials& presented, const Sale& sale) {
  if (!exact_.is_offered()) co_return not_offered("x402");
  const int version = presented.x402_version();
  const auto payload = x402::read_header(version == 1 ? presented.x_payment : presented.payment_signature);
  if (!payload) co_return payload.error();
  if (payload->version != version)
    co_return web::invalid("The payment is malformed: version 1 comes in X-PAYMENT, version 2 in PAYMENT-SIGNATURE");
  const auto required = co_await exact_.requirements(sale.price);
  if (!required) co_return required.error();
  if (auto wrong = x402::mismatch(*payload, *required))
    co_return refused(verification_failed, std::move(*wrong), "invalid_payment_requirements");
  eip3009::PaymentTerms due{.receiver = required->pay_to, .value = word(sale)};
  co_return co_await by_authorization_->charge(payload->authorization, std::move(due), "x402", sale);
}

mpp::Challenge Gateway::challenge(std::string method, const json::object& request, const Sale& sale) const {
  return challenges_.issue(site_.host(), std::move(method), request, sale.digest, sale.description, store::now());
}

json::object Gateway::tempo_request(const Sale& sale) const {
  return mpp::tempo_request(*tempo_.token, *tempo_.receiver, atomic(sale));
}

web::Task<web::Result<SaleReceipt>> Gateway::charge_mpp(std::string_view encoded, const Sale& sale) {
  const auto credential = mpp::parse_credential(encoded);
  if (!credential) co_return refused(malformed_credential, credential.error().message + ".");
  const auto& challenge = credential->challenge;
  if (!challenges_.has_issued(challenge) || challenge.realm != site_.host() || challenge.intent != mpp::intent)
    co_return refused(invalid_challenge, "This challenge was not issued here.");
  if (challenge.digest != sale.digest)
    co_return refused(invalid_challenge, "This challenge was issued for another request.");
  if (challenge.method == "evm" && exact_.is_offered()) co_return co_await charge_mpp_evm(*credential, sale);
  if (challenge.method != "tempo" || !tempo_.is_offered()) co_return not_offered(challenge.method);
  if (challenge.request != mpp::encode_request(tempo_request(sale)))
    co_return refused(invalid_challenge, "This challenge is for another price.");
  const auto payer = mpp::account_of(credential->source, mpp::tempo_chain_id);
  if (!credential->source.empty() && !payer)
    co_return refused(malformed_credential, "source must be did:pkh:eip155:4217 and an address.");
  mpp::Transfer due{.token = *tempo_.token,
                    .receiver = *tempo_.receiver,
                    .amount = word(sale),
                    .realm = challenge.realm,
                    .challenge_id = challenge.id,
                    .payer = payer};
  co_return co_await by_tempo_.charge(*credential, std::move(due), sale);
}

web::Task<web::Result<SaleReceipt>> Gateway::charge_mpp_evm(const mpp::Credential& credential, const Sale& sale) {
  const auto required = co_await exact_.requirements(sale.price);
  if (!required) co_return required.error();
  const auto request = mpp::evm_request(required->chain_id, required->asset, required->pay_to, required->amount);
  if (credential.challenge.request != mpp::encode_request(request))
    co_return refused(invalid_challenge, "This challenge is for another price.");
  const auto authorization = mpp::authorization_of(credential);
  if (!authorization) co_return refused(malformed_credential, authorization.error().message + ".");
  if (!credential.source.empty() && mpp::account_of(credential.source, required->chain_id) != authorization->from)
    co_return refused(verification_failed, "source is not the account that authorized the payment.");
  eip3009::PaymentTerms due{.receiver = required->pay_to, .value = word(sale)};
  co_return co_await by_authorization_->charge(*authorization, std::move(due), "mpp", sale);
}

web::Task<bool> Gateway::offer_on_chain(const Sale& sale, Draft& draft) {
  const auto required = co_await exact_.requirements(sale.price);
  if (!required) co_return false;
  const x402::Resource resource{.url = sale.url, .description = sale.description};
  auto& offer = draft.offer;
  offer.headers.emplace_back("PAYMENT-REQUIRED",
                             x402::header_of(x402::payment_required_v2(*required, resource, "Payment required")));
  json::array versions{2};
  if (auto old = x402::requirements_v1(*required, resource)) {
    offer.body["x402Version"] = 1;
    offer.body["accepts"] = json::array{std::move(*old)};
    versions.emplace_back(1);
  }
  draft.ways.push_back(
      {{"way", "x402"}, {"versions", std::move(versions)}, {"network", x402::network_name(required->chain_id, 2)}});
  const auto request = mpp::evm_request(required->chain_id, required->asset, required->pay_to, required->amount);
  draft.challenges.push_back(challenge("evm", request, sale));
  co_return true;
}

// What the user's account can pay, and how a card fills it.
void Gateway::offer_account(store::UserId user, Draft& draft) const {
  for (const auto* source : by_balance_.sources())
    draft.ways.push_back({{"way", source->way()}, {"available", source->available(user)}});
  if (!card_checkout_.empty())
    draft.ways.push_back({{"way", "card"}, {"buys", "credits"}, {"checkout", site_.url(card_checkout_)}});
}

web::Task<PaymentOptions> Gateway::offer(const Sale& sale, store::UserId user) {
  Draft draft;
  bool is_chain_up = true;
  if (exact_.is_offered()) is_chain_up = co_await offer_on_chain(sale, draft);
  if (tempo_.is_offered()) draft.challenges.push_back(challenge("tempo", tempo_request(sale), sale));
  std::string authenticate;
  for (const auto& one : draft.challenges) {
    authenticate.append(authenticate.empty() ? "" : ", ").append(mpp::header_of(one));
    draft.ways.push_back({{"way", "mpp"}, {"method", one.method}, {"intent", one.intent}, {"challenge", one.id}});
  }
  auto& offer = draft.offer;
  if (!authenticate.empty()) offer.headers.emplace_back("WWW-Authenticate", std::move(authenticate));
  if (user != 0) offer_account(user, draft);
  if (draft.ways.empty()) offer.body["setup"] = is_chain_up ? not_configured : chain_down;
  offer.body["price"] = json::object{{"amount", sale.price.to_string()}, {"currency", "USDC"}};
  offer.body["ways"] = std::move(draft.ways);
  co_return std::move(offer);
}

}  // namespace gateway
