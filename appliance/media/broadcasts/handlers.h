#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/media/broadcasts/broadcasts.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace broadcasts {

// What the rows depend on; all of it must outlive them.
struct Services {
  Broadcasts& broadcasts;
  streams::Streams& streams;
  const agents::AgentDirectory& agents;
};

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

// For agents.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace broadcasts
