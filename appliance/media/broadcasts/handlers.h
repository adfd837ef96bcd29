#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>

#include "appliance/media/broadcasts/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace broadcasts {

struct BroadcastRequest {
  std::optional<web::Prose<1, 5'000>> text;
  std::optional<web::Text<1, 1'000>> file;
  std::optional<web::Text<1, 100>> title;
  std::optional<web::Text<2, 12>> language;
};
BOOST_DESCRIBE_STRUCT(BroadcastRequest, (), (text, file, title, language))

struct BroadcastView {
  State state;
  std::optional<std::string> error;
  store::Time since;
  std::optional<std::string> streamId, hlsUrl, embedUrl;
};
BOOST_DESCRIBE_STRUCT(BroadcastView, (), (state, error, since, streamId, hlsUrl, embedUrl))

web::Answer go_on_air(const Services&, const web::Request&, BroadcastRequest);
web::Answer show_broadcast(const Services&, const web::Request&);
web::Answer leave_air(const Services&, const web::Request&);

}  // namespace broadcasts
