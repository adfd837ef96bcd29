// Where a credential may go, and how a request that names it carries the
// secret. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "appliance/hosting/credentials/records.h"
#include "web/result.h"

namespace credentials {

// What an agent writes in the place of a secret: "cred:NAME".
inline constexpr std::string_view placeholder_prefix = "cred:";

using Headers = std::vector<std::pair<std::string, std::string>>;

// A request as an agent has written it. The target is in origin form.
struct Outgoing {
  std::string scheme, host, method, target;
  Headers headers;
};

// Whether credentials can have this name.
bool is_name(std::string_view name);

// Whether the host is one of those that the credential is bound to; its other
// conditions apart.
bool is_bound_to_host(const Credential&, std::string_view host);

// The names of credentials that the request's target and headers hold, in their
// encodings.
std::vector<std::string> named_in(const Outgoing&);

// Puts the secret in. Of each name that is found in the request: forbidden with
// a sentence if the credential is not bound to the request, or stands elsewhere
// than its form says. `known`: those that the agent may use.
web::Result<std::vector<std::string>> put_in(Outgoing&, const std::vector<Credential>& known);

// What the secret looks like in an answer, each with what stands in its place.
Headers traces_of(const Credential&);

// invalid, naming the field.
web::Result<void> check(const Credential&);

}  // namespace credentials
