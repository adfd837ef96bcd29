// Reading vendors' JSON with the tolerance it takes: what is not there or of another type is empty.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/ai/chat.h"

namespace ai {

const boost::json::object* object_in(const boost::json::object&, std::string_view name);
const boost::json::array* array_in(const boost::json::object&, std::string_view name);
std::string string_in(const boost::json::object&, std::string_view name);
// A whole number that is not negative.
std::optional<std::int64_t> count_in(const boost::json::object&, std::string_view name);

// A call whose arguments are complete: empty ones become {}, and those that are no JSON object are marked.
ToolCall checked_call(ToolCall);
TokenUsage estimated_usage(const ChatRequest&, const Message& answer);

}  // namespace ai
