#pragma once

#include <boost/asio/thread_pool.hpp>
#include <boost/describe.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/billing/referrals/referrals.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace billing::referrals {

// What the rows depend on; all of it must outlive them.
struct Services {
  Referrals& referrals;
  const accounts::Accounts& accounts;
  audit::Audit& audit;
  boost::asio::thread_pool& blocking;  // for reads of the whole table
};

struct ListQuery {
  std::optional<web::Integer<1, 1000>> limit;
  std::optional<web::Integer<0, std::numeric_limits<std::int64_t>::max()>> after;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (limit, after))

struct ReferralView {
  std::string userId, email, referrerId, referrerEmail;
  store::Time registeredAt;
  bool emailVerified = false, hasPaid = false, approved = false;
};
BOOST_DESCRIBE_STRUCT(ReferralView, (),
                      (userId, email, referrerId, referrerEmail, registeredAt, emailVerified, hasPaid, approved))

struct ReferralPage {
  When creditedAfter = When::payment;
  std::vector<ReferralView> referrals;
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(ReferralPage, (), (creditedAfter, referrals, next))

struct Decision {
  bool credited = false;
};
BOOST_DESCRIBE_STRUCT(Decision, (), (credited))

// /api/admin/referrals.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace billing::referrals
