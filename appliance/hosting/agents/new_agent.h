// Records of new agents, and the parts of a record that creating and editing share.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "appliance/hosting/agents/config_check.h"
#include "appliance/hosting/agents/records.h"
#include "web/result.h"

namespace agents {

// The most agents one owner may have, whatever the plan; administrators have no other limit.
inline constexpr int max_agents = 1000;

struct NewAgent {
  std::string name;
  std::string model;  // empty: the config's, else the box's default
  boost::json::object config;
  std::string tier;            // web: starter, pro, enterprise, or empty
  std::string plan;            // backend: empty is label
  std::string image = {};      // of its container; empty: the box's
  bool is_deployment = false;  // unique by name among the owner's deployments: conflict
};

// A name that may become part of paths of an engine's API.
bool is_image_name(std::string_view);

// invalid, naming the field; payment_required for the deprecated plan.
web::Result<void> check(const NewAgent&, const ConfigRules&);
web::Result<void> check_config(const boost::json::object&, const ConfigRules&);

// A record with fresh tokens, without id, subdomain and port.
Agent make_record(store::UserId owner, NewAgent);
// Letters and digits of the name, hyphens for everything else, and a random suffix that cannot be guessed.
std::string make_subdomain(std::string_view name);

// Stores the config with its secrets split off. A mask, {"sealed": true}, keeps the secret of before.
void set_config(Agent&, boost::json::object config);
// A member of the config; empty if it is missing or not a string.
std::string_view text_member(const boost::json::object& config, std::string_view member);
// The provider that the config asks for; empty: the model router chooses.
inline std::string_view requested_provider(const boost::json::object& config) {
  return text_member(config, "aiProvider");
}
// The same as the API shows it, which has no word for the router's choice and shows its multi-model provider instead.
inline std::string_view shown_provider(const boost::json::object& config) {
  const auto requested = requested_provider(config);
  return requested.empty() ? "openrouter" : requested;
}

}  // namespace agents
