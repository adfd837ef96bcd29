// What each capability of this module is built of, and what it brings: its tables, its rows, its background work.
#include "appliance/payments/capabilities.h"

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/periodic.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/payments/acceptance/facilitator_handlers.h"
#include "appliance/payments/acceptance/gateway_handlers.h"
#include "appliance/payments/ledger/handlers.h"
#include "appliance/payments/ledger/leaving.h"
#include "appliance/payments/module.h"
#include "appliance/payments/splits/handlers.h"
#include "appliance/payments/statements/handlers.h"
#include "appliance/payments/statements/overview_handlers.h"
#include "appliance/payments/stripe/handlers.h"
#include "appliance/payments/stripe/prices.h"
#include "appliance/payments/stripe/records.h"
#include "appliance/payments/stripe/subscription_report.h"
#include "appliance/payments/transfers/handlers.h"
#include "appliance/payments/transfers/payment_wallet_handlers.h"
#include "appliance/payments/wallets/handlers.h"

namespace ledger {

namespace {

struct Parts {
  explicit Parts(payments::Module& module) : payments(module) {
    // Entries stay: each has another side, and all of them sum to zero.
    auto part = personal_data::rows_of(module.platform.system, entries);
    part.erase = {};
    part.obstacle = [&module](store::UserId user) {
      return obstacle_to_leaving(module.ledger, user, module.hosting.agents.directory.list(user));
    };
    module.identity.personal_data.add(std::move(part));
  }
  Services services() {
    return {payments.ledger, payments.hosting.agents.directory, payments.hosting.identity.audit,
            payments.platform.blocking};
  }

  payments::Module& payments;
};

}  // namespace

payments::Capability capability() {
  return payments::Capability::of<Parts>(
      {.tables = {store::describe(transfers), store::describe(entries)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace ledger

namespace wallets {

namespace {

struct Parts {
  explicit Parts(payments::Module& module) : payments(module), cdp(module.platform.system, module.platform.settings) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, wallets_table, cdp::accounts));
    module.identity.personal_data.add(personal_data::hidden_rows_of(module.platform.system, keys));
  }
  Services services() { return {payments.wallets, payments.ledger, payments.networks, payments.balances, cdp}; }

  payments::Module& payments;
  cdp::Cdp cdp;
};

}  // namespace

payments::Capability capability() {
  return payments::Capability::of<Parts>(
      {.tables = {store::describe(wallets_table), store::describe(keys), store::describe(cdp::accounts)},
       .web = web_routes});
}

}  // namespace wallets

namespace transactions {

namespace {

// Without rows: others send through Module::sender.
struct Services {};

struct Parts {
  explicit Parts(payments::Module& module) : sender(module.sender) {}
  static Services services() { return {}; }
  web::Task<> start() {
    sender.start();
    co_return;
  }
  web::Task<> stop() { return sender.stop(); }

  Sender& sender;
};

}  // namespace

payments::Capability capability() {
  return payments::Capability::of<Parts>(
      {.tables = {store::describe(transactions_table), store::describe(next_nonces)}});
}

}  // namespace transactions

namespace splits {

namespace {

struct Parts {
  explicit Parts(payments::Module& module) : payments(module) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, splits_table));
  }
  Services services() {
    return {payments.splits,   payments.wallets,  payments.ledger,
            payments.networks, payments.balances, payments.hosting.agents.directory};
  }
  web::Task<> start() {
    payments.splits.start();
    co_return;
  }
  web::Task<> stop() { return payments.splits.stop(); }

  payments::Module& payments;
};

}  // namespace

payments::Capability capability() {
  return payments::Capability::of<Parts>({.tables = {store::describe(splits_table)}, .backend = backend_routes});
}

}  // namespace splits

namespace transfers {

namespace {

struct Parts {
  explicit Parts(payments::Module& module) : payments(module) {
    // What a removed agent held on the box's ledger goes back to its owner.
    module.identity.events.agent_removed.subscribe([&module](store::UserId user, std::string agent) -> web::Task<> {
      co_await ledger::return_balance(module.ledger, user, std::move(agent));
    });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, transfers_table, rules_table));
  }
  Services services() {
    return {
        payments.transfers,   payments.wallets, payments.ledger, payments.balances, payments.hosting.agents.directory,
        payments.hosting.gate};
  }
  web::Task<> start() {
    payments.transfers.start();
    co_return;
  }
  web::Task<> stop() { return payments.transfers.stop(); }

  payments::Module& payments;
};

}  // namespace

payments::Capability capability() {
  return payments::Capability::of<Parts>({.tables = {store::describe(transfers_table), store::describe(rules_table)},
                                          .web = web_routes,
                                          .backend = backend_routes});
}

}  // namespace transfers

namespace payment_wallets {

namespace {

struct Parts {
  explicit Parts(payments::Module& module) : payments(module), payment_wallets(module.platform.system) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, payment_wallets_table));
  }
  Services services() { return {payment_wallets, payments.transfers, payments.ledger, payments.balances}; }
  web::Task<> start() { return payment_wallets.adopt_keys(); }

  payments::Module& payments;
  Wallets payment_wallets;
};

}  // namespace

payments::Capability capability() {
  return payments::Capability::of<Parts>({.tables = {store::describe(payment_wallets_table)}, .web = web_routes});
}

}  // namespace payment_wallets

namespace x402 {

namespace {

// The settings were checked when they were read.
SettlementRules rules_of(const agentbox::Settings& settings) {
  return {.least = payments::Usdc::parse(settings.x402_settle_minimum).value(),
          .plan = billing::plan_named(settings.x402_settle_plan),
          .daily = settings.x402_settle_daily};
}

struct Parts {
  explicit Parts(payments::Module& module)
      : facilitator(module.exact, module.billing.spent_credentials, module.platform.system,
                    module.billing.subscriptions, rules_of(module.platform.settings)) {}
  Services services() { return {facilitator}; }
  Facilitator facilitator;
};

}  // namespace

payments::Capability capability() { return payments::Capability::of<Parts>({.web = web_routes}); }

}  // namespace x402

namespace gateway {

namespace {

// The settings were checked when they were read.
payments::Usdc price(const std::string& text) { return payments::Usdc::parse(text).value(); }

// Without MPP_SECRET, challenges are bound by a key of their own that is derived from the master key.
std::string challenge_secret(const agentbox::Platform& platform) {
  const auto& secret = platform.settings.mpp_secret;
  return secret.empty() ? crypto::derived_key(platform.master_key, "payment challenges") : secret;
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
        by_balance(module.platform.system, module.billing.spent_credentials, {&from_ledger, &from_credits}),
        plugins(
            {.summarize = price(settings.gateway_price_summarize),
             .extract = price(settings.gateway_price_extract),
             .models = price(settings.gateway_price_models)},
            module.models.gateway, [&module] { return module.hosting.summarizer_url(); }, module.prepare_skill),
        gateway(module.exact,
                {.token = module.networks.payment.usdc,
                 .receiver = crypto::EthereumAddress::parse(settings.payment_receiver),
                 .rpc = module.networks.payment.rpc},
                by_authorization(), by_tempo, by_balance, challenges, module.identity.site, card_checkout(module)) {}

  Services services() { return {gateway, plugins, payments.identity.site}; }
  web::Task<> start() {
    co_await payments.exact.open();
    co_await by_balance.refund_interrupted();
  }

  AuthorizationCharge* by_authorization() {
    auto& exact = payments.exact;
    if (exact.can_settle())
      authorization_charge.emplace(payments.billing.spent_credentials, exact.token(), exact.submitter(),
                                   price(payments.platform.settings.gateway_settle_first));
    return authorization_charge ? &*authorization_charge : nullptr;
  }

  payments::Module& payments;
  mpp::Challenges challenges;
  std::optional<AuthorizationCharge> authorization_charge;
  TempoCharge by_tempo;
  LedgerBalance from_ledger;
  CreditBalance from_credits;
  BalanceCharge by_balance;
  Plugins plugins;
  Gateway gateway;
};

}  // namespace

payments::Capability capability() { return payments::Capability::of<Parts>({.web = web_routes}); }

}  // namespace gateway

namespace payments::overview {

namespace {

struct Parts {
  explicit Parts(Module& module) : payments(module) {}
  Services services() {
    return {payments.identity.plans, payments.billing.subscriptions, payments.billing.spend_policy,
            payments.billing.ledger, payments.models.provider_keys,  payments.checkout,
            payments.identity.audit};
  }
  Module& payments;
};

}  // namespace

Capability capability() { return Capability::of<Parts>({.web = web_routes}); }

}  // namespace payments::overview

namespace payments::stripe {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(Module& module)
      : payments(module),
        events(module.platform.system, module.checkout.prices(), module.billing.subscriptions, module.billing.credits,
               module.identity.audit, module.identity.outbox, module.identity.site,
               module.platform.settings.admin_emails, module.platform.home),
        sweep(module.platform.home, "stripe events", 1h, [this] { return events.sweep(store::now()); }) {
    auto part = personal_data::rows_of(module.platform.system, received_payments, customers);
    part.obstacle = [system = module.platform.system](store::UserId user) { return obstacle_to_leaving(system, user); };
    module.identity.personal_data.add(std::move(part));
    events.when_paid([&billing = module.billing](store::Change& change, store::UserId user) {
      billing.referrals.note_payment(change, user);
    });
  }

  Services services() { return {payments.checkout, events, payments.platform.settings.stripe_webhook_secret}; }
  web::Task<> start() {
    sweep.start();
    co_return;
  }
  web::Task<> stop() { return sweep.stop(); }

  Module& payments;
  Events events;
  agentbox::Periodic sweep;
};

}  // namespace

Capability capability() {
  return Capability::of<Parts>({.tables = {store::describe(customers), store::describe(stripe_subscriptions),
                                           store::describe(received_events), store::describe(received_payments)},
                                .web = web_routes});
}

}  // namespace payments::stripe

namespace payments::statements {

namespace {

struct Parts {
  explicit Parts(Module& module)
      : payments(module),
        sources{.system = module.platform.system,
                .subscriptions = module.billing.subscriptions,
                .ledger = module.billing.ledger,
                .credits = module.billing.credits} {}
  Services services() { return {sources, payments.identity.accounts, payments.platform.blocking}; }

  Module& payments;
  const Sources sources;
};

}  // namespace

Capability capability() { return Capability::of<Parts>({.web = web_routes, .backend = backend_routes}); }

}  // namespace payments::statements

namespace payments {

// In the order in which they are built; they stop in reverse.
std::vector<Capability> capabilities() {
  return {
      ::ledger::capability(),
      ::wallets::capability(),
      ::transactions::capability(),
      ::splits::capability(),
      ::transfers::capability(),
      ::payment_wallets::capability(),
      ::x402::capability(),
      ::gateway::capability(),
      ::payments::overview::capability(),
      ::payments::stripe::capability(),
      ::payments::statements::capability(),
  };
}

}  // namespace payments
