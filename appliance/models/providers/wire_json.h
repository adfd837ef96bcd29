// Tolerant reading of vendors' JSON: members that are missing or of another type are empty.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/models/chat.h"

namespace models {

const boost::json::object* object_in(const boost::json::object&, std::string_view name);
const boost::json::array* array_in(const boost::json::object&, std::string_view name);
std::string string_in(const boost::json::object&, std::string_view name);
// A non-negative integer.
std::optional<std::int64_t> count_in(const boost::json::object&, std::string_view name);

// A count of tokens that an upstream reports. More than any model takes is no report, like what is no count at all.
std::optional<std::int64_t> token_count_in(const boost::json::object&, std::string_view name);
// The same of a count that may be left out, which is 0 then.
std::optional<std::int64_t> optional_token_count_in(const boost::json::object&, std::string_view name);

// What of a conversation only the OpenAI form can say, as a sentence that names the field: calls whose arguments are no
// JSON object.
std::optional<std::string> only_in_openai_form(const ChatRequest&);

// A sentence that names the first of `options` that a request asks for and `who` has not got. A response_format of type
// text asks for nothing.
std::optional<std::string> missing_option(const ChatRequest&, std::initializer_list<std::string_view> options,
                                          std::string_view who);

// A call whose arguments are complete: empty ones become {}, and those that are no JSON object are marked.
ToolCall checked_call(ToolCall);
TokenUsage estimated_usage(const ChatRequest&, const Message& answer);

}  // namespace models
