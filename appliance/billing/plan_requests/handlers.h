#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/plan_requests/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace billing::plan_requests {

struct NewRequest {
  web::Text<1, 20> plan;
  std::optional<web::Prose<1, 1'000>> note;
};
BOOST_DESCRIBE_STRUCT(NewRequest, (), (plan, note))

struct RequestView {
  Plan plan;
  std::string note;
  State state;
  store::Time requestedAt;
  std::optional<store::Time> decidedAt;
  std::optional<std::string> reason;
};
BOOST_DESCRIBE_STRUCT(RequestView, (), (plan, note, state, requestedAt, decidedAt, reason))

struct OwnRequest {
  std::optional<RequestView> request;
};
BOOST_DESCRIBE_STRUCT(OwnRequest, (), (request))

struct PendingView {
  std::string userId, email;
  std::optional<std::string> currentPlan;
  RequestView request;
};
BOOST_DESCRIBE_STRUCT(PendingView, (), (userId, email, currentPlan, request))

struct PendingList {
  std::vector<PendingView> requests;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(PendingList, (), (requests, count))

struct DecisionRequest {
  std::optional<web::Prose<1, 1'000>> reason;
};
BOOST_DESCRIBE_STRUCT(DecisionRequest, (), (reason))

web::Answer request_plan(const Services&, const web::Request&, NewRequest);
web::Answer show_request(const Services&, const web::Request&);

web::Answer list_requests(const Services&, const web::Request&);
web::Answer approve_request(const Services&, const web::Request&, DecisionRequest);
web::Answer deny_request(const Services&, const web::Request&, DecisionRequest);

}  // namespace billing::plan_requests
