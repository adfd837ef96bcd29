#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/addresses.h"
#include "appliance/hosting/agents/views.h"
#include "appliance/hosting/cloning/cloning.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace cloning {

// What the rows depend on; all of it must outlive them.
struct Services {
  Cloning& cloning;
  const agents::AgentDirectory& agents;
  const agents::AgentAddresses& addresses;
};

BOOST_DEFINE_ENUM_CLASS(Specialization, general, ar, promo, booking, support, analytics)

struct CloneRequest {
  web::Text<1, 128> parentAgentId;
  web::Text<1, 100> name;
  std::optional<Specialization> specialization;
  std::optional<web::Integer<1, 1'000'000>> generation;
  std::optional<PaymentProof> paymentProof;  // required where it can be verified
  std::optional<web::Text<1, 200>> message;  // the clone begins where the parent was before it
};
BOOST_DESCRIBE_STRUCT(CloneRequest, (), (parentAgentId, name, specialization, generation, paymentProof, message))

struct ForkRequest {
  web::Text<1, 200> message;
  web::Text<1, 100> name;
};
BOOST_DESCRIBE_STRUCT(ForkRequest, (), (message, name))

struct ForkAnswer {
  bool success = true;
  std::string id, name;
};
BOOST_DESCRIBE_STRUCT(ForkAnswer, (), (success, id, name))

struct ClonedAgent : agents::AgentCore {
  std::string name, websocketUrl, model, parentAgentId;
  Specialization specialization{};
  std::int64_t generation = 0;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(ClonedAgent, (agents::AgentCore),
                      (name, websocketUrl, model, parentAgentId, specialization, generation, createdAt))

struct CloneAnswer {
  struct Paid {
    std::string transactionHash, amount = "0", currency = cloning::currency;  // of a free clone: empty, and nothing
    bool verified = false;
    BOOST_DESCRIBE_CLASS(Paid, (), (transactionHash, amount, currency, verified), (), ())
  };
  bool success = true;
  ClonedAgent agent;
  Paid payment;
};
BOOST_DESCRIBE_STRUCT(CloneAnswer, (), (success, agent, payment))

struct TermsAnswer {
  std::string status = "ok", service = "clone", price = cloning::price, currency = cloning::currency;
  std::int64_t chainId = chain_id;
  Terms terms = Terms::payment;
  std::optional<std::string> payTo;
  store::Time timestamp;
};
BOOST_DESCRIBE_STRUCT(TermsAnswer, (), (status, service, price, currency, chainId, terms, payTo, timestamp))

// /api/agents/clone.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/agents/:id/fork.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace cloning
