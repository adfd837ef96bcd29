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
#include "web/json.h"
#include "web/result.h"

namespace models {

// A non-negative integer.
std::optional<std::int64_t> count_in(const boost::json::object&, std::string_view name);

// A count of tokens that an upstream reports. Counts beyond every context size are ignored.
std::optional<std::int64_t> token_count_in(const boost::json::object&, std::string_view name);
// The same for a count that may be missing: 0 then.
std::optional<std::int64_t> optional_token_count_in(const boost::json::object&, std::string_view name);

// An object, or null if the text is not one. Strings may have invalid UTF-8 or single surrogates (text_joiner.h), since
// servers cut texts anywhere.
boost::json::value parse_object(std::string_view text, const boost::json::storage_ptr& = {});

// Appends copies in the memory of `to`. Copies that constructors and insert() make stay in the memory of the source,
// which is a chunk's.
void append_copies(const boost::json::array& from, boost::json::array& to);

// Kind::bad_gateway with a clause to put after the upstream's name.
web::Error bad_answer(std::string clause);

// An error that an upstream sends within a stream.
struct ReportedError {
  std::string type, message;
};

// The type of the error for an answer that ends in a call which the vendor cannot read. Asked again, models mostly
// write a proper one.
inline constexpr std::string_view malformed_call = "MALFORMED_FUNCTION_CALL";

// The error that a body or an event reports: {error: {message, type}}, {error: "..."}, {object: "error", message},
// {type: "error", message}, {detail: "..."} or {detail: [{msg, loc}]}. Not set: it reports none.
std::optional<ReportedError> error_in(const boost::json::object&);

// A sentence that names the first of `options` that a request uses and `provider` does not support, or a member that
// the box does not know. A response_format of type text is the default.
std::optional<std::string> missing_option(const ChatRequest&, std::initializer_list<std::string_view> options,
                                          std::string_view provider);

// A call whose arguments are complete: empty ones become {}, and those that are no JSON object are marked.
ToolCall checked_call(ToolCall);
// The calls of a streamed answer, now complete; the listener gets the arguments of those that had none.
void complete_calls(std::vector<ToolCall>&, Listener&);
// Passes a whole call on, in one piece.
void pass_call(std::size_t place, const ToolCall&, Listener&);
bool is_json_object(std::string_view text);
// An id for a call that the provider gave none.
std::string new_call_id();
TokenUsage estimated_usage(const ChatRequest&, const Message& answer);
// Fills in what the upstream left out: the usage (estimated), the id (random) and the model (as requested).
ChatAnswer with_defaults(ChatAnswer, const ChatRequest&, const std::optional<TokenUsage>& reported,
                         std::string_view id_prefix);

}  // namespace models
