// What the explorer's endpoints have in common.
#pragma once

#include <optional>
#include <string>

#include "appliance/files/explorer/explorer.h"
#include "web/endpoint.h"

namespace explorer {

using Answer = web::Task<web::Result<web::Response>>;
using AgentId = std::optional<web::Id>;
using Path = web::Text<1, 4096>;
using OptionalPath = std::optional<web::Text<0, 4096>>;  // empty: the place itself

struct AgentQuery {
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(AgentQuery, (), (agent))

inline Explorer::Agent agent_of(const AgentId& agent) {
  if (!agent) return std::nullopt;
  return std::string(*agent);
}

inline std::string path_of(const OptionalPath& path) { return path ? std::string(*path) : std::string(); }

// What an endpoint sends that is no JSON, for the OpenAPI document.
inline web::Endpoint sending(std::string_view media_type, web::Endpoint endpoint) {
  endpoint.answer = [type = std::string(media_type)] {
    return boost::json::value{{"type", "string"}, {"contentMediaType", type}};
  };
  return endpoint;
}

// A handler that takes (Agent, Body): the agent is in the query, all else in the body.
template <class Body, class F>
web::Endpoint body_at(F handler) {
  return {.handle = [handler = std::move(handler)](web::Request& request) -> Answer {
            const auto where = web::parse_query<AgentQuery>(request);
            if (!where) co_return where.error();
            auto body = web::parse_body<Body>(request);
            if (!body) co_return body.error();
            co_return co_await handler(agent_of(where->agent), std::move(*body));
          },
          .body = web::schema_of<Body>,
          .query_schema = web::schema_of<AgentQuery>};
}

}  // namespace explorer
