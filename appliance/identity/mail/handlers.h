#pragma once

#include <boost/asio/thread_pool.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/mail/outbox.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace mail {

// What the rows depend on; all of it must outlive them.
struct Services {
  Outbox& outbox;
  boost::asio::thread_pool& blocking;  // for reads of the whole table
};

struct ListQuery {
  std::optional<web::Integer<1, 1000>> limit;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (limit))

struct MailView {
  std::string id, to, subject, body;
  Delivery delivery;
  std::string problem;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(MailView, (), (id, to, subject, body, delivery, problem, createdAt))

struct MailList {
  std::vector<MailView> mails;
};
BOOST_DESCRIBE_STRUCT(MailList, (), (mails))

// The mails of the last days, bodies included.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace mail
