// The internal form of a conversation with a model. Providers translate it to and from their wire formats
// (openai_wire.h); no other code sees a vendor's JSON.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/client/asker.h"

namespace models {

BOOST_DEFINE_ENUM_CLASS(Role, system, user, assistant, tool)

// A tool call requested by a model. The arguments are kept as text, because models write invalid JSON: the tool runner
// parses them and reports errors to the model.
struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;   // JSON object as text
  bool malformed = false;  // the arguments are not a JSON object
};
BOOST_DESCRIBE_STRUCT(ToolCall, (), (id, name, arguments, malformed))

// A part of a user's message with images. Exactly one of text and url is set.
struct Part {
  std::string text;
  std::string url;     // of an image: https://..., or data:<type>;base64,<data>
  std::string detail;  // of an image, as OpenAI has it: auto, low, high; empty: not given
};
BOOST_DESCRIBE_STRUCT(Part, (), (text, url, detail))

struct Message {
  Role role = Role::user;
  std::string content;
  std::vector<ToolCall> tool_calls;  // assistant only
  std::string tool_call_id;          // tool only: the call with this result
  std::vector<Part> parts;           // users only: set if there are images; content is the text
  std::string name;                  // distinguishes speakers of one role; empty: not given
};
BOOST_DESCRIBE_STRUCT(Message, (), (role, content, tool_calls, tool_call_id, parts, name))

bool has_images(const Message&);

// The parts of an image given as data:<type>;base64,<data>; not set for other addresses.
struct InlineImage {
  std::string_view type, data;
};
std::optional<InlineImage> inline_image(std::string_view url);

struct ToolDefinition {
  std::string name, description;
  boost::json::value parameters;  // JSON Schema of the arguments object
  std::optional<bool> strict;     // whether the arguments must match the schema
};
BOOST_DESCRIBE_STRUCT(ToolDefinition, (), (name, description, parameters, strict))

struct TokenUsage {
  std::int64_t input = 0, output = 0;
  bool estimated = false;                  // not reported by the provider; see estimate_tokens
  std::int64_t cached = 0, reasoning = 0;  // included in input and output
  std::int64_t total() const { return input + output; }
};
BOOST_DESCRIBE_STRUCT(TokenUsage, (), (input, output, estimated, cached, reasoning))

BOOST_DEFINE_ENUM_CLASS(Finish, stop, tool_calls, length, content_filter)

struct ChatRequest {
  std::string model;  // empty: the provider's default
  std::vector<Message> messages;
  std::vector<ToolDefinition> tools;
  std::optional<double> temperature, top_p;
  std::optional<std::int64_t> max_tokens;
  std::vector<std::string> stop;  // sequences that end the answer
  // Further parameters as OpenAI names them, checked for their shape: tool_choice, parallel_tool_calls,
  // response_format, seed, presence_penalty, frequency_penalty, logit_bias, reasoning_effort. A provider that does not
  // support one of them refuses the request.
  boost::json::object options;
  web::Asker asker{.part = "models"};          // on whose behalf; not sent
  bool stream = false, include_usage = false;  // how the caller wants the answer; providers ignore it
};

struct ChatAnswer {
  std::string id;
  std::string model;     // the model that served
  std::string provider;  // local, openrouter, anthropic, openai, google, builtin
  Message message;       // role assistant
  Finish finish = Finish::stop;
  TokenUsage usage;
};

// Receives the pieces of a streamed answer.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void text(std::string_view piece) = 0;
  // A piece of the call at `index`: id and name come once, the arguments in pieces.
  virtual void call(std::size_t index, std::string_view id, std::string_view name, std::string_view arguments) = 0;
};

// The same as a value: a piece of text, or of a growing call.
struct AnswerPiece {
  std::string text;
  std::optional<std::size_t> call;
  std::string id, name, arguments;
};

// The maximum number of tool calls in an answer; further ones are dropped.
inline constexpr std::size_t most_tool_calls = 128;

// About four bytes per token, at least one for text that is not empty. For answers without reported usage.
std::int64_t estimate_tokens(std::string_view text);
std::int64_t estimate_tokens(const ChatRequest&);
std::int64_t estimate_tokens(const Message&);
// An upper limit for every tokenizer: no token is shorter than a byte.
std::int64_t most_tokens(const ChatRequest&);

}  // namespace models
