#include "appliance/foundation/crypto/hmac.h"
#include "appliance/payments/gateway/routes.h"
#include "appliance/payments/module.h"
#include "appliance/payments/stripe/prices.h"

namespace gateway {

namespace {

// The settings were checked when they were read.
payments::Usdc price(const std::string& text) { return payments::Usdc::parse(text).value(); }

// Without MPP_SECRET, challenges are bound by a key of their own that is derived from the master key.
std::string challenge_secret(const agentbox::Platform& platform) {
  const auto& given = platform.settings.mpp_secret;
  return given.empty() ? crypto::derived_key(platform.master_key, "payment challenges") : given;
}

// The path where a user buys credits by card, which then pay; empty: nothing is sold by card.
std::string card_checkout(const payments::Module& module) {
  const auto& settings = module.platform.settings;
  if (settings.stripe_secret_key.empty()) return {};
  const payments::stripe::Prices prices(settings.stripe_prices);
  for (const auto& offer : prices.offers())
    if (offer.item.kind == payments::stripe::Item::Kind::credits)
      return "/api/stripe/credits?price=" + offer.item.name();
  return {};
}

struct Parts {
  explicit Parts(payments::Module& module) : Parts(module, module.platform.settings) {}
  Parts(payments::Module& module, const agentbox::Settings& settings)
      : payments(module),
        challenges(challenge_secret(module.platform)),
        by_tempo(module.billing.spent_credentials, module.networks.payment.rpc),
        from_ledger(module.ledger),
        from_credits(module.billing.credits),
        by_purse(module.platform.system, module.billing.spent_credentials, {&from_ledger, &from_credits}),
        plugins(
            {.summarize = price(settings.gateway_price_summarize),
             .extract = price(settings.gateway_price_extract),
             .models = price(settings.gateway_price_models)},
            module.models.gateway, [&module] { return module.hosting.summarizer_url(); }, module.prepare_skill),
        gateway(module.exact,
                {.token = module.networks.payment.usdc,
                 .receiver = crypto::EthereumAddress::parse(settings.payment_receiver),
                 .rpc = module.networks.payment.rpc},
                by_authorization(), by_tempo, by_purse, challenges, module.identity.site, card_checkout(module)) {}

  Services services() { return {gateway, plugins, payments.identity.site}; }
  web::Task<> start() {
    co_await payments.exact.open();
    co_await by_purse.refund_interrupted();
  }

  AuthorizationCharge* by_authorization() {
    auto& exact = payments.exact;
    if (exact.can_settle())
      authorization_charge.emplace(payments.billing.spent_credentials, exact.token(), exact.submitter());
    return authorization_charge ? &*authorization_charge : nullptr;
  }

  payments::Module& payments;
  mpp_charge::Challenges challenges;
  std::optional<AuthorizationCharge> authorization_charge;
  TempoCharge by_tempo;
  LedgerPurse from_ledger;
  CreditPurse from_credits;
  PurseCharge by_purse;
  Plugins plugins;
  Gateway gateway;
};

}  // namespace

payments::Capability capability() { return payments::Capability::of<Parts>({.web = web_routes}); }

}  // namespace gateway
