#include "appliance/payments/acceptance/exact.h"

#include "appliance/payments/acceptance/facilitator_client.h"

namespace x402 {

Exact::Exact(const agentbox::Settings& settings, chains::Networks& networks, wallets::Wallets& wallets,
             transactions::Sender& sender)
    : receiver_(crypto::EthereumAddress::parse(settings.payment_receiver)),
      own_submitter_(wallets, sender),
      submitter_(&own_submitter_) {
  auto& main = networks.main;
  if (main.rpc.is_configured() && main.usdc) token_ = std::make_unique<eip3009::Token>(main.rpc, *main.usdc);
  if (settings.x402_facilitator_url.empty()) return;
  FacilitatorClient client(settings.x402_facilitator_url, settings.x402_facilitator_key);
  facilitator_ = std::make_unique<FacilitatorSubmitter>(std::move(client));
  submitter_ = facilitator_.get();
}

web::Task<> Exact::open() {
  if (token_ && !facilitator_) co_await own_submitter_.open();
}

web::Task<web::Result<Requirements>> Exact::requirements(payments::Usdc price) {
  const auto domain = co_await token_->domain();
  if (!domain) co_return domain.error();
  co_return Requirements{.chain_id = token_->rpc().chain_id(),
                         .asset = token_->address(),
                         .pay_to = *receiver_,
                         .amount = std::to_string(price.micro()),
                         .name = (*domain)->name,
                         .version = (*domain)->version};
}

}  // namespace x402
