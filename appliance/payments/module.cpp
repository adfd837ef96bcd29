#include "appliance/payments/module.h"

#include "appliance/payments/splits/settlement.h"

namespace payments {

namespace {

constexpr std::uint64_t wei_per_gwei = 1'000'000'000;

transactions::Policy policy_of(const agentbox::Settings& settings) {
  return {.confirmations = settings.transfer_confirmations,
          .stuck_after = settings.transfer_stuck_after,
          .highest_fee = settings.transfer_max_gwei * wei_per_gwei};
}

}  // namespace

Module::Module(hosting::Module& given_hosting, gateway::PrepareSkill given_prepare_skill)
    : platform(given_hosting.platform),
      identity(given_hosting.identity),
      billing(given_hosting.billing),
      models(given_hosting.models),
      hosting(given_hosting),
      ledger(platform.system),
      wallets(platform.system),
      networks(platform.settings),
      sender(
          platform.system, networks, balances,
          [this](store::UserId owner, std::string_view wallet) { return wallets.signer(owner, wallet); },
          policy_of(platform.settings), platform.home),
      settlement(make_settlement()),
      splits(platform.system, *settlement, platform.home),
      transfers(platform.system, wallets, ledger, networks, balances, sender, hosting.gate, platform.home),
      exact(platform.settings, networks, wallets, sender),
      checkout(platform.system, platform.settings, identity.site, identity.accounts),
      prepare_skill(std::move(given_prepare_skill)),
      capabilities_(payments::capabilities(), *this) {}

std::unique_ptr<settlement::Settlement> Module::make_settlement() {
  if (networks.has_chain()) return std::make_unique<settlement::ChainSettlement>(sender, wallets, networks, balances);
  return std::make_unique<settlement::LedgerSettlement>(ledger, wallets);
}

}  // namespace payments
