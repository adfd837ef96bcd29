// GET /api/agent-search, where agents search the web.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/gate/turns.h"
#include "appliance/hosting/web_search/web_search.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace web_search {

// All of them must outlive the rows.
struct Services {
  const WebSearch& search;
  const agents::AgentDirectory& agents;
  store::System system;
  gate::TurnTracker& turns;
};

struct SearchQuery {
  web::Text<1, 400> q;
  std::optional<web::Integer<1, 20>> limit;
};
BOOST_DESCRIBE_STRUCT(SearchQuery, (), (q, limit))

struct HitView {
  std::string title, url, snippet;
};
BOOST_DESCRIBE_STRUCT(HitView, (), (title, url, snippet))

struct SearchAnswer {
  std::string provider;
  std::vector<HitView> results;
};
BOOST_DESCRIBE_STRUCT(SearchAnswer, (), (provider, results))

std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace web_search
