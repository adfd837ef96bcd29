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

namespace ai {

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

struct Message {
  Role role = Role::user;
  std::string content;
  std::vector<ToolCall> tool_calls;  // assistant only
  std::string tool_call_id;          // tool only: the call this answers
};
BOOST_DESCRIBE_STRUCT(Message, (), (role, content, tool_calls, tool_call_id))

struct ToolDefinition {
  std::string name, description;
  boost::json::value parameters;  // JSON Schema of the arguments object
};
BOOST_DESCRIBE_STRUCT(ToolDefinition, (), (name, description, parameters))

struct TokenUsage {
  std::int64_t input = 0, output = 0;
  bool estimated = false;  // the upstream told nothing; see estimate_tokens
  std::int64_t total() const { return input + output; }
};
BOOST_DESCRIBE_STRUCT(TokenUsage, (), (input, output, estimated))

BOOST_DEFINE_ENUM_CLASS(Finish, stop, tool_calls, length, content_filter)

struct ChatRequest {
  std::string model;  // empty: the provider's default
  std::vector<Message> messages;
  std::vector<ToolDefinition> tools;
  std::optional<double> temperature, top_p;
  std::optional<std::int64_t> max_tokens;
  bool stream = false, include_usage = false;  // how the caller wants the answer; providers ignore it
};

struct ChatAnswer {
  std::string id;
  std::string model;     // the one that served
  std::string provider;  // local, openrouter, builtin
  Message message;       // role assistant
  Finish finish = Finish::stop;
  TokenUsage usage;
};

// Roughly four bytes a token, at least one for a text that is not empty. For answers whose upstream gives no usage.
std::int64_t estimate_tokens(std::string_view text);
std::int64_t estimate_tokens(const ChatRequest&);
std::int64_t estimate_tokens(const Message&);

}  // namespace ai
