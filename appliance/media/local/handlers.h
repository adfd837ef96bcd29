#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>

#include "appliance/media/local/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace local {

// The form that nginx's RTMP module posts.
struct Callback {
  std::optional<web::Text<1, 256>> name, key;
  std::optional<web::Text<1, 4096>> path;  // of a recording
};
BOOST_DESCRIBE_STRUCT(Callback, (), (name, key, path))

web::Answer receive_callback(const Services&, const web::Request&);
web::Answer show_player(const Services&, const web::Request&);
web::Answer send_live_file(const Services&, const web::Request&);

}  // namespace local
