// `proxyCredentials` of an agent's config: a foreign image gets the box's proxy, and a variable of its environment for
// each of these credentials, whose value is cred:NAME in place of the secret.
#pragma once

#include <optional>

#include "appliance/hosting/agents/config_check.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/runtime/engine.h"
#include "web/result.h"

namespace agents {

// invalid, naming the field. The credentials need not exist yet.
web::Result<void> check_proxy_credentials(const ProxyCredentials&);

// Nothing: the config has no proxyCredentials.
std::optional<runtime::ProxyAccess> proxy_access_of(const Agent&);

}  // namespace agents
