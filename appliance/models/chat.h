// The internal form of a conversation with a model. Providers translate it to and from their wire formats
// (openai_wire.h); no other code sees a vendor's JSON.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/client/call_origin.h"

namespace models {

BOOST_DEFINE_ENUM_CLASS(Role, system, user, assistant, tool)

// A tool call requested by a model. The arguments are kept as text, because models write invalid JSON: the tool runner
// parses them and reports errors to the model.
struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;   // JSON object as text
  bool malformed = false;  // the arguments are not a JSON object
  // Gemini's thought signature, and the provider that made it. It goes back unchanged to that provider only; an empty
  // provider is unknown, since a client has not kept it.
  std::string signature, signed_by;
};
BOOST_DESCRIBE_STRUCT(ToolCall, (), (id, name, arguments, malformed, signature, signed_by))

// A block of reasoning, which precedes the text and the calls of its message. It goes back unchanged to the provider
// that made it, and to no other.
struct Reasoning {
  std::string provider;   // that made it; empty: unknown, since a client has not kept it
  std::string text;       // as far as the provider shows it
  std::string signature;  // the vendor's proof of the text
  std::string sealed;     // in place of the text: Claude's redacted_thinking, OpenAI's encrypted_content
  std::string id;         // the vendor's, if the block has one
  // How the provider wrote it: one of the forms below, or a format of OpenRouter's reasoning_details
  // (anthropic-claude-v1, ...). Empty: unknown.
  std::string format;
  bool is_summary = false;  // the text is a summary
};
BOOST_DESCRIBE_STRUCT(Reasoning, (), (provider, text, signature, sealed, id, format, is_summary))

// Formats of Reasoning that are members of OpenAI's form: {reasoning_content}, {reasoning}, and Mistral's parts of the
// content, {type: thinking}.
inline constexpr std::string_view reasoning_content_format = "reasoning_content", reasoning_format = "reasoning",
                                  thinking_part_format = "thinking";

BOOST_DEFINE_ENUM_CLASS(PartKind, text, image, audio, file)

// A part of a message that is not text alone.
struct Part {
  std::string text;                // of a text; of audio in an answer: its transcript
  std::string url;                 // of all others: https://..., or data:<type>;base64,<data>
  std::string detail;              // of an image, as OpenAI has it: auto, low, high; empty: not given
  std::string name = {};           // of a file
  PartKind kind = PartKind::text;  // an image, if url is set and this is text
  bool is_text() const { return url.empty(); }
  bool is_image() const { return !url.empty() && (kind == PartKind::text || kind == PartKind::image); }
};
BOOST_DESCRIBE_STRUCT(Part, (), (text, url, detail, name, kind))

struct Message {
  Role role = Role::user;
  std::string content;
  std::vector<ToolCall> tool_calls;  // assistant only
  std::string tool_call_id;          // tool only: the call with this result
  // Of users and tools: the whole message, if it has more than text; content is the text of it. Of an assistant: what
  // it made besides the text, images and audio.
  std::vector<Part> parts;
  std::string name;                       // distinguishes speakers of one role; empty: not given
  std::vector<Reasoning> reasoning = {};  // assistant only
  std::string refusal = {};               // assistant only: why it does not answer
  boost::json::array annotations = {};    // assistant only, as OpenAI has them: {type: url_citation, ...}
};
BOOST_DESCRIBE_STRUCT(Message, (),
                      (role, content, tool_calls, tool_call_id, parts, name, reasoning, refusal, annotations))

bool has_images(const Message&);
// Whether it says nothing and calls nothing.
bool is_empty(const Message&);

// The parts of an image, or of another file, given as data:<type>;base64,<data>; not set for other addresses.
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
  std::int64_t cache_written = 0;          // included in input; Claude's costs more than fresh input
  std::int64_t total() const { return input + output; }
};
BOOST_DESCRIBE_STRUCT(TokenUsage, (), (input, output, estimated, cached, reasoning, cache_written))

BOOST_DEFINE_ENUM_CLASS(Finish, stop, tool_calls, length, content_filter)

struct ChatRequest {
  std::string model;  // empty: the provider's default
  std::vector<Message> messages;
  std::vector<ToolDefinition> tools;
  std::optional<double> temperature, top_p;
  std::optional<std::int64_t> max_tokens;
  std::vector<std::string> stop;  // sequences that end the answer
  // Further parameters as OpenAI names them, checked for their shape: tool_choice, parallel_tool_calls,
  // response_format, seed, presence_penalty, frequency_penalty, logit_bias, reasoning_effort, verbosity, prediction,
  // modalities, audio, logprobs, top_logprobs, prompt_cache_retention. A provider that does not support one of them
  // refuses the request.
  boost::json::object options;
  // Members that the box does not know. They reach the local server and further servers as they are; the vendors' APIs
  // refuse the request.
  boost::json::object unknown = {};
  // Set for the box's own agents: their system prompt, tools and conversation are marked for the vendor's prompt cache.
  bool is_cached = false;
  web::CallOrigin origin{.part = "models"};    // on whose behalf; not sent
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

// A piece of a streamed answer as a value: of text, of a growing call, or of one of the others.
struct AnswerPiece {
  std::string text = {};
  std::optional<std::size_t> call = {};
  std::string id = {}, name = {}, arguments = {};  // of the call
  std::string signature = {}, signed_by = {};      // of the call: complete
  // Of the block of reasoning at this index: its text is the next piece; its other members, once set, are complete.
  std::optional<std::size_t> block = {};
  Reasoning reasoning = {};
  std::string refusal = {};             // the next piece
  std::optional<Part> part = {};        // complete
  boost::json::array annotations = {};  // further ones
  bool is_text() const { return !call && !block && refusal.empty() && !part && annotations.empty(); }
};

// Receives the pieces of a streamed answer.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void text(std::string_view piece) = 0;
  // A piece of the call at `index`: id and name come once, the arguments in pieces.
  virtual void call(std::size_t index, std::string_view id, std::string_view name, std::string_view arguments) = 0;
  // Everything else: reasoning, a piece of a call that has its signature, a refusal, an image or audio, annotations.
  virtual void other(const AnswerPiece&) {}
  // The usage that the provider has reported so far, after the pieces that it counts.
  virtual void usage(const TokenUsage&) {}
  // Whether somebody reads the pieces. If not, they are only counted, and a whole answer serves as well.
  virtual bool is_read() const { return true; }
};

// The maximum number of tool calls in an answer; further ones are dropped.
inline constexpr std::size_t max_tool_calls = 128;
// The same for blocks of reasoning.
inline constexpr std::size_t max_reasoning_blocks = 256;

// About four bytes per token, at least one for text that is not empty. For answers without reported usage.
std::int64_t estimate_tokens(std::string_view text);
std::int64_t estimate_tokens(const ChatRequest&);
std::int64_t estimate_tokens(const Message&);
// An upper limit for every tokenizer: no token is shorter than a byte.
std::int64_t max_prompt_tokens(const ChatRequest&);

}  // namespace models
