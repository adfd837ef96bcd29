// The one internal form of a conversation with a model. Providers translate it to and from their own wire formats
// (openai_wire.h); nothing else in the house sees a vendor's JSON.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace models {

BOOST_DEFINE_ENUM_CLASS(Role, system, user, assistant, tool)

// A call the model asks for. The arguments are kept as the text the model wrote, because models write broken JSON:
// whoever runs the tool parses them and tells the model what is wrong.
struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;   // JSON object as text
  bool malformed = false;  // the arguments are not a JSON object
};
BOOST_DESCRIBE_STRUCT(ToolCall, (), (id, name, arguments, malformed))

// A piece of a user's message that is not plain text only. Exactly one of text and url is set.
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
  std::string tool_call_id;          // tool only: the call this answers
  std::vector<Part> parts;           // users only: the message in pieces, when there are images; content is its text
  std::string name;                  // who speaks, among several of one role; empty: not given
};
BOOST_DESCRIBE_STRUCT(Message, (), (role, content, tool_calls, tool_call_id, parts, name))

bool has_images(const Message&);

// The two halves of an image given as data:<type>;base64,<data>; nothing for other addresses.
struct InlineImage {
  std::string_view type, data;
};
std::optional<InlineImage> inline_image(std::string_view url);

struct ToolDefinition {
  std::string name, description;
  boost::json::value parameters;  // JSON Schema of the arguments object
  std::optional<bool> strict;     // whether the arguments must follow that schema to the letter
};
BOOST_DESCRIBE_STRUCT(ToolDefinition, (), (name, description, parameters, strict))

struct TokenUsage {
  std::int64_t input = 0, output = 0;
  bool estimated = false;                  // the upstream told nothing; see estimate_tokens
  std::int64_t cached = 0, reasoning = 0;  // parts of input and of output
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
  // response_format, seed, presence_penalty, frequency_penalty, logit_bias, reasoning_effort. A provider that cannot do
  // what one asks for refuses the request.
  boost::json::object options;
  bool stream = false, include_usage = false;  // how the caller wants the answer; providers ignore it
};

struct ChatAnswer {
  std::string id;
  std::string model;     // the one that served
  std::string provider;  // local, openrouter, anthropic, openai, google, builtin
  Message message;       // role assistant
  Finish finish = Finish::stop;
  TokenUsage usage;
};

// What streams out of a provider as it comes. A whole answer comes without.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void text(std::string_view piece) = 0;
  // A piece of the index-th call: id and name are given once, the arguments grow.
  virtual void call(std::size_t index, std::string_view id, std::string_view name, std::string_view arguments) = 0;
};

// The same as a value: a piece of text, or of a growing call.
struct AnswerPiece {
  std::string text;
  std::optional<std::size_t> call;
  std::string id, name, arguments;
};

// Calls of tools that are taken from one answer; what is more is left out.
inline constexpr std::size_t most_tool_calls = 128;

// Roughly four bytes a token, at least one for a text that is not empty. For answers whose upstream gives no usage.
std::int64_t estimate_tokens(std::string_view text);
std::int64_t estimate_tokens(const ChatRequest&);
std::int64_t estimate_tokens(const Message&);
// No tokenizer makes more of the request: none has tokens of less than a byte.
std::int64_t most_tokens(const ChatRequest&);

}  // namespace models
