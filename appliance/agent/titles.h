// Titles of conversations, written by the model after the first answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "appliance/agent/model_client.h"
#include "appliance/agent/tools/box_client.h"
#include "appliance/models/chat.h"

namespace agent_process {

inline constexpr std::string_view builtin_model = "agentbox/builtin";  // it cannot summarize, nor write a title

// How a conversation began.
struct Beginning {
  std::string conversation;  // its name; empty: the owner's first one
  std::string question, answer;
  std::string model;   // the one that answered
  std::string helper;  // that writes the title; empty: the agent's own
};

models::ChatRequest title_request(const Beginning&);
// One line of at most 80 characters without quotes; nullopt if the answer has none.
std::optional<std::string> parse_title(std::string_view answer);

// Asks the model once, and tells the box the title. The builtin model is not asked: the first line of the message stays
// the title. Failures are logged. Copies, since it runs beside turns.
web::Task<> title_conversation(ModelClient, BoxClient, Beginning);

}  // namespace agent_process
