#include "appliance/hosting/cloning/handlers.h"

#include "appliance/access/key_guards.h"
#include "appliance/hosting/rate_groups.h"

namespace cloning {

namespace {

web::Answer clone_agent(const Services& services, const web::Request& request, CloneRequest body) {
  const auto specialization = body.specialization.value_or(Specialization::general);
  const auto parent_generation = body.generation ? body.generation->value : 1;
  agents::CloneOrigin descent{.parent = std::move(body.parentAgentId),
                              .specialization = boost::describe::enum_to_string(specialization, ""),
                              .generation = parent_generation + 1};
  std::string message = body.message ? std::move(*body.message) : std::string();
  const auto clone = co_await services.cloning.clone(request.caller, std::move(body.name), std::move(descent),
                                                     std::move(body.paymentProof), std::move(message));
  if (!clone) co_return clone.error();
  CloneAnswer answer;
  answer.agent = agents::show<ClonedAgent>(view_of(clone->agent, services.addresses));
  answer.agent.parentAgentId = clone->agent.descent->parent;
  answer.agent.specialization = specialization;
  answer.agent.generation = clone->agent.descent->generation;
  if (clone->payment) answer.payment = {clone->payment->transaction, clone->payment->amount, currency, true};
  co_return web::reply(answer, 200);
}

// Of the agents of all users.
web::Answer fork_agent(const Services& services, const web::Request& request, ForkRequest body) {
  auto parent = services.agents.find(request.param("id"));
  if (!parent) co_return web::not_found();
  std::string name = std::move(body.name), message = std::move(body.message);
  auto forking = services.cloning.fork(std::move(*parent), std::move(name), std::move(message));
  auto made = co_await std::move(forking);
  if (!made) co_return made.error();
  const ForkAnswer answer{.id = std::move(made->id), .name = std::move(made->name)};
  co_return web::reply(answer, 201);
}

web::Answer show_terms(const Services& services, const web::Request&) {
  TermsAnswer answer{.terms = services.cloning.terms(), .timestamp = store::now()};
  const auto& receiver = services.cloning.payment_receiver();
  if (!receiver.empty()) answer.payTo = receiver;
  co_return web::reply(answer, 200);
}

constexpr auto about_clone =
    "Creates an agent with the model and the config (including its secrets) of one of the caller's own, in an empty "
    "workspace. With `message`, one of the caller's in a conversation with the parent, it has files, memory and that "
    "conversation as they were before the message (the parent must be running; what peers and other conversations have "
    "stays behind, and so does the git history). It starts as after POST /api/agents/provision, with its "
    "specialization in its instructions. "
    "`generation` is the parent's; the clone's is one more. If the box can query the chain (PAYMENT_RPC_URL), "
    "paymentProof is required with all its fields; its transaction pays for one clone, and a second use is refused "
    "with "
    "402 PAYMENT_ALREADY_USED; 402 with PAYMENT_TO_ANOTHER, PAYMENT_NOT_FOUND, PAYMENT_NOT_MADE or PAYMENT_TOO_OLD "
    "reports what the chain says, and 503 that it cannot be reached. Without a chain clones are free within the plan's "
    "limits: paymentProof may be left out, only its form is checked, and `payment.verified` is false; with "
    "CLONE_PAYMENTS=off the answer is 503. With CLONE_PAYER=linked the payer must be a wallet that is linked to "
    "the "
    "caller's account, or `paymentProof.signature` its signature (ERC-191) of \"Clone <parentAgentId> for the payment "
    "<transactionHash in lower case>\"; else 402 PAYMENT_BY_ANOTHER. 402 without a subscription; 429 with current and "
    "limit at the plan's number of agents (AGENT_LIMIT_REACHED) or of generations, counted along the agents that are "
    "there (GENERATION_LIMIT_REACHED). The payment is not used up in these cases.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {{web::POST, "/api/agents/:id/fork", guards.backend.agents, nullptr,
           web::body<ForkRequest>(on(fork_agent))
               .returns<ForkAnswer>(201)
               .describe("As POST /api/agents/clone with `message`, without a payment. The clone is the owner's.")
               .fails({web::Kind::conflict, web::Kind::bad_gateway}),
           "Clone an agent as it was before a message"}};
}

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/agents/clone",
       agentbox::session_or_key(guards, key_scopes::Scope::agents_write, agentbox::RowScope::account),
       &hosting::agents_rate, web::body<CloneRequest>(on(clone_agent)).returns<CloneAnswer>().describe(about_clone),
       "Clone an agent"},
      {web::GET, "/api/agents/clone", guards.none, &hosting::agents_rate,
       web::plain(on(show_terms)).returns<TermsAnswer>(),
       "What a clone costs here (`terms`: payment, free or off), and the receiver of payments"},
  };
}

}  // namespace cloning
