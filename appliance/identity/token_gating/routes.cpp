
#include "appliance/identity/token_gating/handlers.h"
#include "web/routes/endpoint.h"

namespace token_gating {

namespace {

const web::RateLimit lookup_limit{.group = "token-gating", .limit = 30};

constexpr const char* summary = "Check whether a wallet holds enough of the gating token";
constexpr const char* description =
    "Balances are at most half a minute old. 503 without L2_RPC_URL or GATING_TOKEN_ADDRESS.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& none = guards.none;
  const std::string path = "/api/auth/token-gating/verify";
  const auto verify = on(verify_wallet);
  return {
      {web::GET, path, none, &lookup_limit,
       web::query<WalletQuery>(verify).returns<HoldingView>().describe(description), summary},
      {web::POST, path, none, &lookup_limit,
       web::body<WalletQuery>(verify).returns<HoldingView>().describe(description), summary},
  };
}

}  // namespace token_gating
