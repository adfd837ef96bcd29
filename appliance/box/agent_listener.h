// The listener of agents in containers, which cannot reach a loopback address.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/settings/settings.h"
#include "web/server/server.h"

namespace agentbox {

// Listens on the gateway of the containers' network, with the rows for agents and the summarizer.
class AgentListener {
 public:
  using MakeRows = std::function<std::vector<web::Route>()>;
  using SummarizerFor = std::function<web::Result<web::ProxyTarget>(const web::Request&)>;
  AgentListener(web::Server& server, const Settings& settings, MakeRows make_rows, SummarizerFor summarizer_for)
      : server_(server),
        settings_(settings),
        make_rows_(std::move(make_rows)),
        summarizer_for_(std::move(summarizer_for)) {}

  // Opens the listener unless it is open, and returns its URL. Uses the backend's port if it is free, so that running
  // agents find the box there after a restart. Called on the pool's first thread, once the backend listens. Throws
  // std::runtime_error if the network's gateway has changed and if the address cannot be bound.
  std::string open(std::string gateway);

 private:
  web::ListenerOptions options(std::string listen) const;

  web::Server& server_;
  const Settings& settings_;
  const MakeRows make_rows_;
  const SummarizerFor summarizer_for_;
  std::string gateway_;  // empty: not open
};

}  // namespace agentbox
