#include "appliance/hosting/cloning/routes.h"

#include "appliance/hosting/cloning/handlers.h"
#include "appliance/hosting/rate_groups.h"
#include "appliance/identity/key_scopes/key_guards.h"

namespace cloning {

namespace {

constexpr auto about_clone =
    "Creates an agent with the model and the config (including its secrets) of one of the caller's own, in an empty "
    "workspace. It starts as after POST /api/agents/provision, with its specialization in its instructions. "
    "`generation` is the parent's; the clone's is one more. All fields of paymentProof are required; its transaction "
    "pays for one clone, and a second use is refused with 402 PAYMENT_ALREADY_USED. If the box can query the chain "
    "(PAYMENT_RPC_URL), 402 with PAYMENT_TO_ANOTHER, PAYMENT_NOT_FOUND, PAYMENT_NOT_MADE or PAYMENT_TOO_OLD reports "
    "what the chain says, and 503 that it cannot be reached; otherwise `payment.verified` is false, and with "
    "CLONE_PAYMENTS=verified the answer is 503. With CLONE_PAYER=linked the payer must be a wallet that is linked to "
    "the "
    "caller's account, or `paymentProof.signature` its signature (ERC-191) of \"Clone <parentAgentId> for the payment "
    "<transactionHash in lower case>\"; else 402 PAYMENT_BY_ANOTHER. 402 without a subscription; 429 with current and "
    "limit at the plan's number of agents (AGENT_LIMIT_REACHED) or of generations, counted along the agents that are "
    "there (GENERATION_LIMIT_REACHED). The payment is not used up in these cases.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/agents/clone",
       agentbox::session_or_key(guards, key_scopes::Scope::agents_write, agentbox::About::account),
       &hosting::agents_rate, web::body<CloneRequest>(on(clone_agent)).returns<CloneAnswer>().describe(about_clone),
       "Clone an agent against payment"},
      {web::GET, "/api/agents/clone", guards.none, &hosting::agents_rate,
       web::plain(on(show_terms)).returns<TermsAnswer>(),
       "Whether agents can be cloned, the price, and the receiver of payments that are looked up"},
  };
}

}  // namespace cloning
