// API keys that the box makes for programs which a user has let in, as part of a change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "appliance/access/keys.h"

namespace keys {

// A key for these tools of /mcp alone: it has scopes, and they are none. Beyond `keys_per_user` the change is
// Outcome::over_bound.
Created add_for_tools(store::Change&, store::UserId, std::string name, store::Time expires_at,
                      std::vector<std::string> tools);
// False if there is no such key.
bool erase(const store::System&, store::UserId, std::string_view id, store::Change&);

}  // namespace keys
