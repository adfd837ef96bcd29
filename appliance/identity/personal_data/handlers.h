#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/personal_data/account_deletions.h"
#include "appliance/identity/second_factor/second_factor.h"
#include "appliance/identity/second_factor/step_up.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace personal_data {

// All of them must outlive the rows.
struct Services {
  const PersonalData& data;
  AccountDeletions& account_deletions;
  accounts::Accounts& accounts;
  accounts::Sessions& sessions;
  second_factor::SecondFactor& factor;
  audit::Audit& audit;
  boost::asio::thread_pool& blocking;
};

struct DeletedAccount {
  bool success = true;
  bool erased = true;
};
BOOST_DESCRIBE_STRUCT(DeletedAccount, (), (success, erased))

// /api/settings/export and /api/settings/account.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// The same for administrators, of any user: /api/admin/users/:user.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace personal_data
