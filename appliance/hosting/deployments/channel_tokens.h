// The tokens of messaging channels that an agent is provisioned with.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "store/store.h"
#include "web/task.h"

namespace deployments {

struct ChannelTokens {
  std::optional<std::string> telegram, discord, slack, whatsapp;

  bool is_empty() const { return !telegram && !discord && !slack && !whatsapp; }
};

// Makes the channels of a new agent. Wrong tokens are errors of the channels.
using ChannelConnector = std::function<web::Task<>(store::UserId, std::string agent, ChannelTokens)>;

}  // namespace deployments
