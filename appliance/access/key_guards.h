// Guards of rows that sessions open, and API keys whose scopes name the row.
#pragma once

#include <functional>

#include "appliance/access/guards.h"
#include "appliance/access/key_scopes.h"
#include "store/store.h"

namespace agentbox {

// What a row is about decides whether it is for keys that are limited to certain agents.
enum class RowScope {
  agent,    // the agent that its path, query or body names as id, agentId or userId: it must be one of the key's
  account,  // everything of the user: closed to such keys
  list,     // agents: its handler leaves out those beyond the key's (agents_of)
};

// A session, as Guards::session; or an API key with the scope. A key that is sent decides alone: if it is invalid the
// answer is 401, whatever cookie comes with it; without the scope 403, SCOPE_REQUIRED; 404 for an agent that is not
// one of the key's. The reference is valid as long as the guards, which come from with_key_guards().
const web::Guard& session_or_key(const Guards&, key_scopes::Scope, RowScope = RowScope::agent);
// The same where a session is optional.
const web::Guard& session_or_key_if_any(const Guards&, key_scopes::Scope, RowScope);

// The agents that the caller's key is limited to; nothing for other callers.
std::optional<std::vector<std::string>> agents_of(const store::System&, const web::Caller&);

struct KeySources {
  store::System system;
  keys::Keys& keys;
  std::function<bool(const accounts::User&)> is_admin, must_enrol;  // see GuardSources
};
// Adds these guards to the others, and has the guards for bare keys respect scopes: a key with scopes opens /v1 with
// `models`, /mcp if it names its tools and is not limited to agents, and nothing else of theirs.
Guards with_key_guards(Guards, KeySources);
// The same for documents; the guards must not be asked.
Guards with_documented_key_guards(Guards);

}  // namespace agentbox
