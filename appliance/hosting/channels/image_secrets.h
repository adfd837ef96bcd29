// Tokens of channels that an owner lets the agent's image use in place of the box: the one exception from the rule that
// no secret reaches a child's environment.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "appliance/hosting/channels/records.h"

namespace channels {

// Whether images know names for the kind's tokens.
bool has_image_secrets(Kind);
// Of all channels of the agent that its image uses: names of the environment, such as TELEGRAM_BOT_TOKEN, and values.
std::vector<std::pair<std::string, std::string>> image_secrets_of(const store::System&, store::UserId owner,
                                                                  const std::string& agent);

}  // namespace channels
