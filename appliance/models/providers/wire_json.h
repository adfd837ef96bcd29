// Tolerant reading of vendors' JSON: members that are missing or of another type are empty.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/models/chat.h"
#include "web/result.h"

namespace models {

const boost::json::object* object_in(const boost::json::object&, std::string_view name);
const boost::json::array* array_in(const boost::json::object&, std::string_view name);
std::string string_in(const boost::json::object&, std::string_view name);
// A non-negative integer.
std::optional<std::int64_t> count_in(const boost::json::object&, std::string_view name);

// A count of tokens that an upstream reports. Counts beyond every context size are ignored.
std::optional<std::int64_t> token_count_in(const boost::json::object&, std::string_view name);
// The same for a count that may be missing: 0 then.
std::optional<std::int64_t> optional_token_count_in(const boost::json::object&, std::string_view name);

// An object, or null if the text is not one.
boost::json::value parse_object(std::string_view text, const boost::json::storage_ptr& = {});

// Kind::bad_gateway with a clause to put after the upstream's name.
web::Error bad_answer(std::string clause);

// An error that an upstream sends within a stream.
struct ReportedError {
  std::string type, message;
};

// Tool calls whose arguments are not a JSON object can be sent in the OpenAI form only. A sentence that names the
// first of them.
std::optional<std::string> only_in_openai_form(const ChatRequest&);

// A sentence that names the first of `options` that a request uses and `provider` does not support. A response_format
// of type text is the default.
std::optional<std::string> missing_option(const ChatRequest&, std::initializer_list<std::string_view> options,
                                          std::string_view provider);

// A call whose arguments are complete: empty ones become {}, and those that are no JSON object are marked.
ToolCall checked_call(ToolCall);
TokenUsage estimated_usage(const ChatRequest&, const Message& answer);
// Fills in what the upstream left out: the usage (estimated), the id (random) and the model (as requested).
ChatAnswer with_defaults(ChatAnswer, const ChatRequest&, const std::optional<TokenUsage>& reported,
                         std::string_view id_prefix);

}  // namespace models
