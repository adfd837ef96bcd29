// The web's handlers: the caller's own agents.
#pragma once

#include <boost/json/object.hpp>
#include <memory>

#include "appliance/hosting/agents/handlers.h"
#include "appliance/hosting/agents/target.h"
#include "appliance/hosting/agents/views.h"
#include "store/versioned_cache.h"
#include "web/routes/endpoint.h"

namespace agents {

BOOST_DEFINE_ENUM_CLASS(ListSort, created, name)
BOOST_DEFINE_ENUM_CLASS(ListOrder, asc, desc)

struct ListRequest {
  std::optional<ListSort> sort;
  std::optional<ListOrder> order;
  std::optional<web::Integer<1, 1'000>> limit;
  std::optional<web::Text<1, 1'000>> cursor;
};
BOOST_DESCRIBE_STRUCT(ListRequest, (), (sort, order, limit, cursor))

struct AgentList {
  std::vector<ListItem> agents;
  std::int64_t count = 0;
  std::string status = "ok";
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(AgentList, (), (agents, count, status, next))

BOOST_DEFINE_ENUM_CLASS(Tier, starter, pro, enterprise)

// The text of each user's whole AgentList in the usual order, which consoles poll. All of them together are as long as
// the box has agents, which AGENT_PORT_RANGE bounds.
using ListCache = store::VersionedCache<std::string, store::UserId>;

struct ProvisionRequest {
  web::Text<1, 100> name;
  std::optional<web::Text<1, 200>> model;
  std::optional<boost::json::object> config;
  std::optional<Tier> tier;
};
BOOST_DESCRIBE_STRUCT(ProvisionRequest, (), (name, model, config, tier))

struct ProvisionedAgent : AgentCore {
  std::string name, websocketUrl, model;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(ProvisionedAgent, (AgentCore), (name, websocketUrl, model, createdAt))

struct ProvisionAnswer {
  bool success = true;
  ProvisionedAgent agent;
};
BOOST_DESCRIBE_STRUCT(ProvisionAnswer, (), (success, agent))

struct DetailAnswer {
  Detail agent;
  std::string status = "ok";
};
BOOST_DESCRIBE_STRUCT(DetailAnswer, (), (agent, status))

BOOST_DEFINE_ENUM_CLASS(Container, running, exited, missing, unknown)

struct InstanceAnswer : AgentCore {
  bool success = true;
  std::string name, statusReason, subdomain, url, websocketUrl;
  Container container{};
  runtime::Health health{};
  std::optional<std::int64_t> exitCode;
  std::optional<store::Time> startedAt;
};
BOOST_DESCRIBE_STRUCT(InstanceAnswer, (AgentCore),
                      (success, name, statusReason, subdomain, url, websocketUrl, container, health, exitCode,
                       startedAt))

web::Answer list_agents(const Services&, const std::shared_ptr<ListCache>&, const web::Request&, ListRequest);
web::Answer provision_agent(const Services&, const web::Request&, ProvisionRequest);
web::Answer show_agent(const Services&, const web::Request&);
web::Answer delete_agent(const Services&, const web::Request&);
web::Answer open_agent(const Services&, const web::Request&);
web::Answer show_instance(const Services&, const Target&, const web::Request&);

}  // namespace agents
