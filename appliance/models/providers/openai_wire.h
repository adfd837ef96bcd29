// OpenAI's chat completions in both directions: requests and answers. Strict with clients, tolerant with servers, since
// many deviate from the form.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/models/chat.h"
#include "web/result.h"
#include "web/routes/route.h"

namespace models::openai {

inline constexpr std::size_t max_messages = 2'000, max_tools = 128;

// A client's request. Kind::invalid names the field: "messages[2].role must be one of: ...". Content may be a string or
// an array of parts: text, and images of users; the role developer counts as system; parameters that the box does not
// pass on are refused.
web::Result<ChatRequest> parse_request(const boost::json::value& body);

// What the server understands that a request is sent to.
struct Dialect {
  std::string_view provider = {};  // its name; reasoning of others is left out. Empty: a box, which gets everything
  // The form of plain reasoning, of those in chat.h, if the conversation does not say. Empty: it takes no reasoning.
  std::string_view reasoning = reasoning_content_format;
  bool signs_calls = false;  // its calls have thought signatures
};

// The request as sent upstream, never streamed, with repaired calls (repair.h). Calls whose arguments are not a JSON
// object are sent with empty ones, since strict servers refuse a history that does not parse.
boost::json::object to_wire(const ChatRequest&, const Dialect& = {}, const boost::json::storage_ptr& = {});

// Marks the instructions and the newest messages of users and tools for Claude's prompt cache, in a request to a
// router.
void mark_for_cache(boost::json::object& wire);

// An upstream's whole answer to `request`. Deviations that lose nothing are accepted: usage missing (estimated and
// flagged), arguments as an object, ids missing, content null or in parts, finish_reason missing or wrong, the old
// function_call. Kind::bad_gateway when there is no message in it; the message is a clause to put after the upstream's
// name, such as "sent an answer without choices".
web::Result<ChatAnswer> parse_answer(std::string_view body, const ChatRequest& request);

// Of the ids of answers.
inline constexpr std::string_view id_prefix = "chatcmpl-";

// Audio in an answer, or a piece of it: {id, data, transcript}. The data is in `url`, without a prefix, since its type
// is the one that the request asks for.
Part parse_audio(const boost::json::object&);
boost::json::object audio_to_wire(const Part&);
boost::json::object image_to_wire(const Part&);

// The usage in an answer or a chunk; not set if there is none.
std::optional<TokenUsage> parse_usage(const boost::json::object& body);
Finish finish_named(std::string_view reason, bool has_calls);
std::string_view wire_name(Finish);

boost::json::object to_wire(const ChatAnswer&, const boost::json::storage_ptr& = {});
boost::json::object usage_to_wire(const TokenUsage&, const boost::json::storage_ptr& = {});
// OpenAI's code of the error for messages that do not fit the model's context.
inline constexpr std::string_view context_length_exceeded = "context_length_exceeded";
// {error: {message, type, code, param}}: type is OpenAI's name of the kind, param the invalid field or null.
// Further members are those of limit_members().
boost::json::object error_body(const web::Error&);
// The members of an error that describe an exceeded limit: limit, used, resetsAt, retryAfter and cap, as far as they
// are numbers or short texts. The error may come from an untrusted server.
boost::json::object limit_members(const boost::json::object& error);
boost::json::value error_schema();  // of error_body()
// The form of all errors under /v1, for listeners with rows there.
web::ErrorForm error_form();

}  // namespace models::openai
