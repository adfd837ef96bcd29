// Handlers of the rows of A2A.
#pragma once

#include <optional>
#include <string>

#include "appliance/network/a2a/routes.h"
#include "appliance/network/a2a/rpc.h"
#include "web/routes/endpoint.h"

namespace a2a {

// The agent that a request names, and where its JSON-RPC is. Whether the caller is admitted is not yet decided.
struct Addressed {
  bus::Participant agent;
  std::string url;
};
using AgentOf = std::optional<Addressed> (*)(const Services&, const web::Request&);
std::optional<Addressed> agent_in_path(const Services&, const web::Request&);
std::optional<Addressed> agent_of_host(const Services&, const web::Request&);

web::Answer show_keys(const Services&, const web::Request&);
web::Answer show_card(const Services&, AgentOf, const web::Request&);
web::Answer answer_call(const Services&, AgentOf, const web::Request&, Request);

}  // namespace a2a
