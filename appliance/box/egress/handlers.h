#pragma once

#include <boost/asio/thread_pool.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/box/egress/egress_ledger.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace egress {

struct Services {
  EgressLedger& ledger;
  boost::asio::thread_pool& blocking;  // for reads of many lines
};

struct ListQuery {
  std::optional<web::Integer<1, 1000>> limit;
  std::optional<web::Text<1, 64>> before;
  std::optional<web::Text<1, 64>> part;
  std::optional<web::Text<1, 255>> host;
  std::optional<web::Text<1, 64>> agentId;
  std::optional<web::Integer<1, INT64_MAX>> userId;
  std::optional<bool> refused;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (limit, before, part, host, agentId, userId, refused))

struct LineView {
  std::string id;
  store::Time hour{};
  std::string part;
  std::optional<std::string> userId;
  std::optional<std::string> agentId;
  std::string host;
  std::int64_t port = 0;
  std::string setting;
  std::int64_t calls = 0, refused = 0, bytesOut = 0, bytesIn = 0;
};
BOOST_DESCRIBE_STRUCT(LineView, (),
                      (id, hour, part, userId, agentId, host, port, setting, calls, refused, bytesOut, bytesIn))

struct PolicyView {
  std::string egress;  // allow, deny
  std::vector<std::string> allow;
};
BOOST_DESCRIBE_STRUCT(PolicyView, (), (egress, allow))

struct LineList {
  std::vector<LineView> lines;
  std::optional<std::string> next;
  PolicyView policy;
};
BOOST_DESCRIBE_STRUCT(LineList, (), (lines, next, policy))

// What left the box, for administrators and for the backend.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace egress
