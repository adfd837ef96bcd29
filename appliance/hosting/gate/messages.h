// What agents and owners read about questions.
#pragma once

#include <string>

#include "appliance/hosting/gate/records.h"
#include "appliance/identity/mail/smtp.h"

namespace gate {

// Of the conversation in which the agent asked: what its owner said and what then happened. Results are cut at 24 KB.
std::string message_to_agent(const Ask&);
mail::Letter letter_about(const Ask&, std::string address, const std::string& link);

}  // namespace gate
