// Conversations as vendors accept them: what one of them would refuse is repaired before it is sent, if that loses
// nothing of the meaning.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "appliance/models/chat.h"

namespace models {

// The result of a call that has none in the conversation.
inline constexpr std::string_view missing_result_note =
    "(There is no result: the call was not carried out, or its result is lost.)";

// Stands before the result of a call that is not in the conversation.
inline constexpr std::string_view missing_call_note = "(This is the result of a call that is no longer shown.)";

// Stands before an answer of the model that begins a conversation.
inline constexpr std::string_view missing_begin_note = "(The begin of the conversation is not shown.)";

// Gives calls ids of 1 to 64 letters, digits, '_' and '-', unique over the conversation, with their results following
// them in their order, and calls without a result a note. Results without a call become messages of the user.
void repair_calls(std::vector<Message>&);

// Whether there is nothing that could be sent to a vendor who refuses blank texts.
bool are_blank(const std::vector<Message>&);

// Leaves out the reasoning and the signatures that another provider has made.
void keep_reasoning_of(std::string_view provider, std::vector<Message>&);

// A schema of arguments with type and properties: servers refuse those without.
boost::json::object completed_schema(const boost::json::value& parameters);

// The same without anyOf, oneOf and allOf at the top level, which Claude refuses: the properties of all alternatives,
// of which those are required that all alternatives require. `description` gets the alternatives as text.
boost::json::object flat_schema(const boost::json::value& parameters, std::string& description);

}  // namespace models
