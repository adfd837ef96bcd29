#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/spending/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace billing::spending {

inline constexpr std::int64_t max_cap_tokens = 1'000'000'000'000'000;

struct NewCap {
  CapScope scope;
  std::optional<web::Text<1, 128>> target;
  CapPeriod period;
  std::optional<web::Integer<0, max_cap_tokens>> tokens;
  std::optional<web::Text<1, 20>> usd;
  std::optional<WhenReached> whenReached;
};
BOOST_DESCRIBE_STRUCT(NewCap, (), (scope, target, period, tokens, usd, whenReached))

struct NewAdminCap {
  std::optional<web::Text<1, 20>> userId;
  CapScope scope;
  std::optional<web::Text<1, 128>> target;
  CapPeriod period;
  std::optional<web::Integer<0, max_cap_tokens>> tokens;
  std::optional<web::Text<1, 20>> usd;
  std::optional<WhenReached> whenReached;
};
BOOST_DESCRIBE_STRUCT(NewAdminCap, (), (userId, scope, target, period, tokens, usd, whenReached))

struct CapsQuery {
  std::optional<web::Text<1, 20>> userId;
};
BOOST_DESCRIBE_STRUCT(CapsQuery, (), (userId))

struct CapView {
  std::string id;
  CapScope scope;
  std::optional<std::string> target;
  CapPeriod period;
  std::optional<std::int64_t> tokens;
  std::optional<std::string> usd;
  WhenReached whenReached;
  bool byAdmin;
  // Usage in the current period, including reservations of calls in progress. For a cap on a plan: usage of the caller,
  // and null for the administrator.
  std::optional<std::int64_t> usedTokens;
  std::optional<std::string> usedUsd;
  store::Time resetsAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(CapView, (),
                      (id, scope, target, period, tokens, usd, whenReached, byAdmin, usedTokens, usedUsd, resetsAt,
                       updatedAt))

struct CapList {
  std::vector<CapView> caps;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(CapList, (), (caps, count))

struct Removed {
  bool success = true;
  std::string id;
};
BOOST_DESCRIBE_STRUCT(Removed, (), (success, id))

web::Answer list_own_caps(const Services&, const web::Request&);
web::Answer set_own_cap(const Services&, const web::Request&, NewCap);
web::Answer remove_own_cap(const Services&, const web::Request&);

web::Answer list_caps(const Services&, const web::Request&, CapsQuery);
web::Answer set_cap(const Services&, const web::Request&, NewAdminCap);
web::Answer remove_cap(const Services&, const web::Request&, CapsQuery);

}  // namespace billing::spending
