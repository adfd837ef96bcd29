#pragma once

#include <boost/asio/thread_pool.hpp>
#include <boost/describe.hpp>
#include <optional>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/payments/statements/statement.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace payments::statements {

// What the rows depend on; all of it must outlive them.
struct Services {
  const Sources& sources;
  const accounts::Accounts& accounts;
  boost::asio::thread_pool& blocking;
};

BOOST_DEFINE_ENUM_CLASS(Format, json, csv, html)

struct StatementQuery {
  std::optional<web::Text<1, 20>> month;
  std::optional<Format> format;
};
BOOST_DESCRIBE_STRUCT(StatementQuery, (), (month, format))

struct UserStatementQuery {
  web::Text<1, 254> user;
  std::optional<web::Text<1, 20>> month;
  std::optional<Format> format;
};
BOOST_DESCRIBE_STRUCT(UserStatementQuery, (), (user, month, format))

// /api/billing/statement: the caller's.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/statement: any user's.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace payments::statements
