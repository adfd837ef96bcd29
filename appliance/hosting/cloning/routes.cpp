#include "appliance/hosting/cloning/routes.h"

#include "appliance/hosting/cloning/payment_proof.h"
#include "web/endpoint.h"

namespace cloning {

namespace {

using web::Request;
using web::Response;
using web::Result;
using Handled = web::Task<Result<Response>>;

const web::RateLimit agents_rate{.group = "agents", .limit = 100};

BOOST_DEFINE_ENUM_CLASS(Specialization, general, ar, promo, booking, support, analytics)

struct Clone {
  web::Text<1, 128> parentAgentId;
  web::Text<1, 100> name;
  std::optional<Specialization> specialization;
  std::optional<web::Integer<1, 1'000'000>> generation;
  PaymentProof paymentProof;
};
BOOST_DESCRIBE_STRUCT(Clone, (), (parentAgentId, name, specialization, generation, paymentProof))

struct Cloned {
  struct Agent {
    std::string id, name;
    agents::Status status;
    std::string websocketUrl, model, parentAgentId;
    Specialization specialization;
    std::int64_t generation;
    store::Time createdAt;
    BOOST_DESCRIBE_CLASS(Agent, (),
                         (id, name, status, websocketUrl, model, parentAgentId, specialization, generation, createdAt),
                         (), ())
  };
  struct Paid {
    std::string transactionHash, amount, currency;
    BOOST_DESCRIBE_CLASS(Paid, (), (transactionHash, amount, currency), (), ())
  };
  bool success = true;
  Agent agent;
  Paid payment;
};
BOOST_DESCRIBE_STRUCT(Cloned, (), (success, agent, payment))

struct Health {
  std::string status = "ok", service = "clone", price = cloning::price, currency = cloning::currency;
  std::int64_t chainId = chain_id;
  std::optional<std::string> payTo;
  store::Time timestamp;
};
BOOST_DESCRIBE_STRUCT(Health, (), (status, service, price, currency, chainId, payTo, timestamp))

// The payment is used up in the commit that makes the clone, or not at all.
Result<void> use_up(const store::System& system, const Payment& payment, store::Change& change) {
  if (system.get(payments, payment.transaction))
    return web::Error{.kind = web::Kind::payment_required,
                      .message = "This payment has been used for a clone already.",
                      .code = "PAYMENT_ALREADY_USED"};
  change.insert(payments, payment);
  return {};
}

}  // namespace

std::vector<web::Route> web_routes(agents::Agents& service, PaymentLookup& lookup, store::System system,
                                   const agentbox::Guards& guards) {
  auto clone = [&service, &lookup, system](Request& request, Clone wanted) -> Handled {
    const auto payment = checked(wanted.paymentProof, request.caller.user_id, store::now());
    if (!payment) co_return payment.error();
    if (const auto confirmed = co_await lookup.confirm(*payment); !confirmed) co_return confirmed.error();
    const auto specialization = wanted.specialization.value_or(Specialization::general);
    agents::Descent descent{.parent = std::move(wanted.parentAgentId),
                            .specialization = boost::describe::enum_to_string(specialization, ""),
                            .generation = (wanted.generation ? wanted.generation->value : 1) + 1};
    agents::Also also = [system, paid = *payment](store::Change& change) { return use_up(system, paid, change); };
    const auto made =
        co_await service.clone(request.caller, std::move(wanted.name), std::move(descent), std::move(also));
    if (!made) co_return made.error();
    Cloned answer;
    answer.agent = {.id = made->id,
                    .name = made->name,
                    .status = made->status,
                    .websocketUrl = service.websocket_url(made->subdomain),
                    .model = made->model,
                    .parentAgentId = made->descent->parent,
                    .specialization = specialization,
                    .generation = made->descent->generation,
                    .createdAt = made->created_at};
    answer.payment = {payment->transaction, payment->amount, currency};
    co_return web::reply(answer, 200);
  };
  auto health = [&lookup](Request&) -> Handled {
    Health answer{.timestamp = store::now()};
    if (!lookup.receiver().empty()) answer.payTo = lookup.receiver();
    co_return web::reply(answer, 200);
  };
  return {
      {web::POST, "/api/agents/clone", guards.session, &agents_rate,
       web::body<Clone>(clone).returns<Cloned>().describe(
           "A new agent with the model and the config (its secrets included) of one of the caller's own, in an empty "
           "workspace; it is started as after POST /api/agents/provision, and told its specialization. generation is "
           "the parent's and the clone's "
           "is one more. Every field of paymentProof is required; its transaction pays for one clone, and 402 with "
           "PAYMENT_ALREADY_USED says that it has. Where the box can ask the chain (PAYMENT_RPC_URL), 402 with "
           "PAYMENT_TO_ANOTHER, PAYMENT_NOT_FOUND or PAYMENT_NOT_MADE says what the chain knows of it, and 503 that it "
           "cannot be asked now. 402 without a subscription, 429 with current and limit when the plan's number of "
           "agents is reached: the payment is not used up then."),
       "Clone an agent against payment"},
      {web::GET, "/api/agents/clone", guards.none, &agents_rate, web::plain(health).returns<Health>(),
       "Whether agents can be cloned, the price, and whom to pay where the box looks it up"},
  };
}

}  // namespace cloning
