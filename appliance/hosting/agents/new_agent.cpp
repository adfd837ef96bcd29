#include "appliance/hosting/agents/new_agent.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/config_secrets.h"
#include "appliance/hosting/agents/revocation.h"
#include "web/ascii.h"
#include "web/blank.h"
#include "web/routes/fields.h"

namespace agents {
namespace {

using web::Result;

constexpr std::size_t largest_config = 64 * 1024;
constexpr std::size_t longest_stem = 24;

}  // namespace

Result<void> check(const NewAgent& agent, const ConfigRules& rules) {
  if (web::is_blank(agent.name)) return web::invalid("name must not be blank");
  if (const auto good = check_config(agent.config, rules); !good) return good.error();
  return check_model(agent.model, "model", rules);
}

Result<void> check_config(const boost::json::object& config, const ConfigRules& rules) {
  if (boost::json::serialize(config).size() > largest_config) return web::invalid("config must be at most 64 KB");
  // Members that the box does not know are the owner's, and are kept as they are.
  if (const auto known = read_config(config, rules); !known) return known.error();
  if (const auto* reach = config.if_contains("mcpAgents"); reach && *reach != "own" && *reach != "all")
    return web::invalid("config.mcpAgents must be own or all");
  if (const auto* titles = config.if_contains("titles"); titles && !titles->is_bool())
    return web::invalid("config.titles must be true or false");
  return {};
}

bool is_image_name(std::string_view name) {
  return name.find("..") == std::string_view::npos && !name.starts_with('/') && std::ranges::all_of(name, [](char c) {
           return web::is_alphanumeric(c) || std::string_view("._-/:@").find(c) != std::string_view::npos;
         });
}

Agent make_record(store::UserId owner, NewAgent spec) {
  Agent agent;
  agent.owner = owner;
  agent.name = std::move(spec.name);
  if (spec.is_deployment) agent.deployment = agent.name;
  if (spec.model.empty()) spec.model = text_member(spec.config, "model");
  agent.model = spec.model.empty() ? default_model : std::move(spec.model);
  set_config(agent, std::move(spec.config));
  agent.tier = std::move(spec.tier);
  agent.image = std::move(spec.image);
  agent.runtime_version = runtime_version;
  renew_tokens(agent);
  agent.created_at = agent.updated_at = store::now();
  return agent;
}

std::string make_subdomain(std::string_view name) {
  std::string stem;
  for (unsigned char c : name) {
    if (stem.size() == longest_stem) break;
    if (c >= 'A' && c <= 'Z') c = static_cast<unsigned char>(c + 32);
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      stem += char(c);
    } else if (!stem.empty() && stem.back() != '-') {
      stem += '-';
    }
  }
  while (!stem.empty() && stem.back() == '-') stem.pop_back();
  return (stem.empty() ? "agent" : stem) + "-" + crypto::random_id(8);
}

void set_config(Agent& agent, boost::json::object config) {
  const auto& sealed = agent.config_secrets.clear;
  auto split = split_config(std::move(config),
                            sealed.empty() ? boost::json::object() : web::parse_json(sealed).value().as_object());
  agent.config = std::move(split.shown);
  agent.config_secrets.clear = split.secrets.empty() ? std::string() : boost::json::serialize(split.secrets);
}

std::string_view text_member(const boost::json::object& config, std::string_view member) {
  const auto* found = config.if_contains(member);
  return found && found->is_string() ? std::string_view(found->get_string()) : std::string_view();
}

}  // namespace agents
