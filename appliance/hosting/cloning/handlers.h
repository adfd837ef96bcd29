#pragma once

#include "appliance/hosting/agents/views.h"
#include "appliance/hosting/cloning/routes.h"
#include "web/routes/endpoint.h"

namespace cloning {

BOOST_DEFINE_ENUM_CLASS(Specialization, general, ar, promo, booking, support, analytics)

struct CloneRequest {
  web::Text<1, 128> parentAgentId;
  web::Text<1, 100> name;
  std::optional<Specialization> specialization;
  std::optional<web::Integer<1, 1'000'000>> generation;
  PaymentProof paymentProof;
};
BOOST_DESCRIBE_STRUCT(CloneRequest, (), (parentAgentId, name, specialization, generation, paymentProof))

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
    std::string transactionHash, amount, currency;
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
  std::optional<std::string> payTo;
  store::Time timestamp;
};
BOOST_DESCRIBE_STRUCT(TermsAnswer, (), (status, service, price, currency, chainId, payTo, timestamp))

web::Answer clone_agent(const Services&, const web::Request&, CloneRequest);
web::Answer show_terms(const Services&, const web::Request&);

}  // namespace cloning
