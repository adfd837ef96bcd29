#include "appliance/hosting/agents/proxy_credentials.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "appliance/hosting/credentials/binding.h"
#include "appliance/hosting/egress_proxy/image_proxy.h"
#include "appliance/runtime/proxy_variables.h"
#include "web/ascii.h"

namespace agents {

namespace {

// Those that the box sets itself: see environment_of in runtime/docker/container.cpp.
bool is_of_the_box(std::string_view name) {
  return name == "HOME" || name == "OPENAI_BASE_URL" || name == "OPENAI_API_KEY" || name == "OPENCLAW_GATEWAY_TOKEN" ||
         runtime::is_proxy_variable(name);
}

bool is_variable_name(std::string_view name) {
  return !web::is_digit(name.front()) &&
         std::ranges::all_of(name, [](char c) { return web::is_alphanumeric(c) || c == '_'; });
}

}  // namespace

web::Result<void> check_proxy_credentials(const ProxyCredentials& all) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [variable, credential] = all[i];
    const auto field = "config.proxyCredentials[" + std::to_string(i) + "].";
    if (!is_variable_name(variable))
      return web::invalid(field + "variable must have letters, digits and _, and not begin with a digit");
    if (is_of_the_box(variable))
      return web::invalid(field + "variable must not be " + variable + ", which the box sets");
    if (!seen.insert(variable).second) return web::invalid(field + "variable must not be given twice");
    if (!credentials::is_name(credential))
      return web::invalid(field + "credential must be the name of a credential, such as FORGE");
  }
  return {};
}

std::optional<runtime::ProxyAccess> proxy_access_of(const Agent& agent) {
  const auto* given = agent.config.if_contains("proxyCredentials");
  if (!given) return std::nullopt;
  const auto wanted = web::parse_value<ProxyCredentials>(*given, "config.proxyCredentials");
  if (!wanted) return std::nullopt;
  runtime::ProxyAccess access{.user = agent.id, .password = egress_proxy::proxy_password(agent), .variables = {}};
  for (const auto& [variable, credential] : *wanted)
    access.variables.emplace_back(variable, std::string(credentials::placeholder_prefix) + std::string(credential));
  return access;
}

}  // namespace agents
