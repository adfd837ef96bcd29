#include "appliance/identity/token_gating/handlers.h"

#include "web/routes/reply.h"

namespace token_gating {

web::Task<web::Result<HoldingView>> look_up(TokenGating& gating, std::string text) {
  const auto address = crypto::EthereumAddress::parse(text);
  if (!address) co_return web::invalid("address is not a wallet's address");
  const auto holding = co_await gating.holding_of(*address);
  if (!holding) co_return holding.error();
  co_return HoldingView{.verified = holding->is_enough,
                        .address = address->checksummed(),
                        .balance = holding->balance,
                        .required = holding->required,
                        .token = gating.token(),
                        .chainId = static_cast<std::int64_t>(gating.chain_id())};
}

web::Answer verify_wallet(const Services& services, const web::Request&, WalletQuery query) {
  const auto view = co_await look_up(services.gating, std::move(query.address));
  if (!view) co_return view.error();
  co_return web::reply(*view, 200);
}

}  // namespace token_gating
