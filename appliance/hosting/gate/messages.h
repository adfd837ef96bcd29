// What agents and owners read about questions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "appliance/hosting/gate/records.h"
#include "appliance/identity/mail/smtp.h"

namespace gate {

// Without line breaks and other control characters, so that a text of an agent cannot look like what follows it.
std::string in_one_line(std::string_view text);
// Exactly what would happen. Beyond so many bytes it ends with a sentence that says so.
std::string shown_act(const Ask&, std::size_t max_bytes);

// Of the conversation in which the agent asked: what its owner said and what then happened. Results are cut at 24 KB.
std::string message_to_agent(const Ask&);
mail::Letter letter_about(const Ask&, std::string address, const std::string& link);

}  // namespace gate
