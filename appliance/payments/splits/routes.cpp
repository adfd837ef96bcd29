#include "appliance/payments/splits/routes.h"

#include "appliance/payments/splits/handlers.h"
#include "web/routes/endpoint.h"

namespace splits {

namespace {

constexpr auto about_wallet =
    "The wallet of an agent, made once: asking again answers the same, with 201 as well. The agent may run elsewhere; "
    "404 if it is another user's. `userId` is a number or its text.";

constexpr auto about_balance =
    "`source` is `chain` or, on a box without one (L2_RPC_URL), `ledger`. 404 for an address that is not a wallet of "
    "this user on this box; 503 while the chain cannot be asked and no earlier balance is known.";

constexpr auto about_split =
    "Stored as `queued`, and settled by a worker: `processing`, then `settled` or `failed` with a reason. Each share "
    "is a "
    "percentage above 0; they add up to 100, to within 0.01. Amounts are rounded down to 0.000001, and the last "
    "recipient "
    "takes the rest, so that they add up to `totalAmount` exactly. At most 100 recipients. On the box's own ledger all "
    "are paid at once or none; on a chain one transaction pays each. A split whose `fromAddress` is not a wallet of "
    "the "
    "user, or whose balance is too low, fails.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto &agents = guards.backend.agents, &internal = guards.backend.internal;
  return {
      {web::POST, "/api/underground/wallets", agents, nullptr,
       web::body<WalletRequest>(on(obtain_wallet)).returns<WalletAnswer>(201).describe(about_wallet),
       "Wallet of an agent"},
      {web::GET, "/api/underground/wallets/:address/balance", agents, nullptr,
       web::query<UserQuery>(on(show_balance)).returns<BalanceAnswer>().describe(about_balance),
       "USDC balance of a wallet"},
      {web::POST, "/api/underground/splits", internal, nullptr,
       web::body<SplitRequest>(on(create_split)).returns<SplitAnswer>().describe(about_split),
       "Divide a payment among recipients"},
      {web::GET, "/api/underground/splits", agents, nullptr,
       web::query<SplitsQuery>(on(list_splits))
           .returns<SplitList>()
           .describe("Newest first; `next` is the `before` of the following page, or null."),
       "Splits of a user"},
      {web::GET, "/api/underground/splits/:id", agents, nullptr,
       web::query<UserQuery>(on(show_split)).returns<SplitView>(), "One split, with the amounts of its recipients"},
  };
}

}  // namespace splits
