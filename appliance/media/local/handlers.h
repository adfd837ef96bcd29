#pragma once

#include <boost/asio/thread_pool.hpp>
#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/media/local/stream_server.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace local {

// What the rows depend on; all of it must outlive them.
struct Services {
  StreamServer* server;  // null: the box runs no stream server
  Local* local;          // the same
  streams::Streams& streams;
  boost::asio::thread_pool& blocking;
};

// The form that nginx's RTMP module posts.
struct Callback {
  std::optional<web::Text<1, 256>> name, key;
  std::optional<web::Text<1, 4096>> path;  // of a recording
};
BOOST_DESCRIBE_STRUCT(Callback, (), (name, key, path))

// Playing the streams of the box's own server.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// What the server asks and reports.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace local
