// The backend's handlers: agents of all owners.
#pragma once

#include <boost/json/object.hpp>

#include "appliance/hosting/agents/handlers.h"
#include "appliance/hosting/agents/views.h"
#include "web/routes/endpoint.h"

namespace agents {

// `name` is optional here because the contract gives the message for a missing one.
struct CreateRequest {
  std::optional<web::Text<0, 100>> name;
  std::optional<boost::json::object> config;
  std::optional<web::Text<1, 20>> userId;
};
BOOST_DESCRIBE_STRUCT(CreateRequest, (), (name, config, userId))

struct CreatedAgent : AgentCore {
  std::string name, agentId, subdomain, url;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(CreatedAgent, (AgentCore), (name, agentId, subdomain, url, createdAt))

struct EditRequest {
  std::optional<web::Text<1, 20>> plan;
  std::optional<web::Text<1, 100>> aiProvider;
  std::optional<boost::json::object> config;
};
BOOST_DESCRIBE_STRUCT(EditRequest, (), (plan, aiProvider, config))

struct EditedAgent : AgentCore {
  std::string plan, aiProvider, subdomain, message = "The agent has been updated.";
};
BOOST_DESCRIBE_STRUCT(EditedAgent, (AgentCore), (plan, aiProvider, subdomain, message))

struct ListQuery {
  std::optional<web::Text<1, 20>> userId;
  std::optional<web::Integer<1, 10'000>> limit;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (userId, limit))

struct InstanceList {
  std::vector<InstanceItem> instances;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(InstanceList, (), (instances, count))

struct Version {
  std::string version = runtime_version;
  std::string runtimeVersion = runtime_version;
};
BOOST_DESCRIBE_STRUCT(Version, (), (version, runtimeVersion))

web::Answer create_agent(const Services&, const web::Request&, CreateRequest);
web::Answer list_all_agents(const Services&, const web::Request&, ListQuery);
web::Answer list_instances(const Services&, const web::Request&, ListQuery);
web::Answer show_any_agent(const Services&, const web::Request&);
web::Answer edit_agent(const Services&, const web::Request&, EditRequest);
web::Answer delete_any_agent(const Services&, const web::Request&);
web::Answer show_version(const Services&, const web::Request&);

}  // namespace agents
