#include "appliance/hosting/cloning/handlers.h"

namespace cloning {

web::Answer clone_agent(const Services& services, const web::Request& request, CloneRequest body) {
  const auto specialization = body.specialization.value_or(Specialization::general);
  const auto parent_generation = body.generation ? body.generation->value : 1;
  agents::Descent descent{.parent = std::move(body.parentAgentId),
                          .specialization = boost::describe::enum_to_string(specialization, ""),
                          .generation = parent_generation + 1};
  const auto clone = co_await services.cloning.clone(request.caller, std::move(body.name), std::move(descent),
                                                     std::move(body.paymentProof));
  if (!clone) co_return clone.error();
  CloneAnswer answer;
  answer.agent = agents::show<ClonedAgent>(view_of(clone->agent, services.addresses));
  answer.agent.parentAgentId = clone->agent.descent->parent;
  answer.agent.specialization = specialization;
  answer.agent.generation = clone->agent.descent->generation;
  answer.payment = {clone->payment.transaction, clone->payment.amount, currency, clone->is_verified};
  co_return web::reply(answer, 200);
}

web::Answer show_terms(const Services& services, const web::Request&) {
  TermsAnswer answer{.timestamp = store::now()};
  const auto& receiver = services.cloning.payment_receiver();
  if (!receiver.empty()) answer.payTo = receiver;
  co_return web::reply(answer, 200);
}

}  // namespace cloning
