#include "appliance/identity/token_gating/routes.h"

#include "web/endpoint.h"

namespace token_gating {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

const web::RateLimit lookups{.group = "token-gating", .limit = 30};

struct Wallet {
  web::Text<1, 42> address;
};
BOOST_DESCRIBE_STRUCT(Wallet, (), (address))

}  // namespace

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

std::vector<web::Route> routes(TokenGating& gating, const agentbox::Guards& guards) {
  const auto verify = [&gating](web::Request&, Wallet wallet) -> Answer {
    const auto view = co_await look_up(gating, std::move(wallet.address));
    if (!view) co_return view.error();
    co_return web::reply(*view, 200);
  };
  constexpr std::string_view summary = "Whether a wallet holds enough of the gating token";
  const std::string text = "Balances are at most half a minute old. 503 without L2_RPC_URL or GATING_TOKEN_ADDRESS.";
  return {
      {web::GET, "/api/auth/token-gating/verify", guards.none, &lookups,
       web::query<Wallet>(verify).returns<HoldingView>().describe(text), std::string(summary)},
      {web::POST, "/api/auth/token-gating/verify", guards.none, &lookups,
       web::body<Wallet>(verify).returns<HoldingView>().describe(text), std::string(summary)},
  };
}

}  // namespace token_gating
