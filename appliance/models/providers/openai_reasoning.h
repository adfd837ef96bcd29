// Reasoning in the OpenAI form, which has no member for it: servers and clients use reasoning_content (DeepSeek,
// llama.cpp, vLLM), reasoning and reasoning_details (OpenRouter), and parts of type thinking (Mistral).
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/models/chat.h"
#include "appliance/models/providers/text_joiner.h"

namespace models::openai {

// Reads the reasoning of a message, or of the deltas of one, which continue its blocks.
class ReasoningReader {
 public:
  // Adds what `holder`, a message or a delta, has. The listener, which may be null, gets each piece.
  void read(const boost::json::object& holder, std::vector<Reasoning>& blocks, Listener*);
  // Adds a part of a content: {type: thinking, thinking: "..." or [{type: text, text}]}. False: it is another part.
  bool read_part(const boost::json::object& part, std::vector<Reasoning>& blocks, Listener*);

 private:
  // The complete blocks at the end of a stream of reasoning_content, which they replace.
  void replace_plain(const boost::json::array&, std::vector<Reasoning>& blocks, Listener*);
  bool read_details(const boost::json::array&, std::vector<Reasoning>& blocks, Listener*);
  void add(Reasoning piece, bool begins, std::vector<Reasoning>& blocks, Listener*);

  TextJoiner text_;
  bool is_plain_ = false;              // it has read reasoning_content alone
  std::optional<std::int64_t> index_;  // of the last detail, as the server counts
};

// The text of all blocks.
std::string reasoning_text(const std::vector<Reasoning>&);

// {type: reasoning.text | reasoning.summary | reasoning.encrypted, ...}, the first at `index`. `with_provider`: with
// the name of the provider, for clients and other boxes; a vendor may refuse it.
boost::json::array details_to_wire(const std::vector<Reasoning>&, bool with_provider);

// The signature of a call: {google: {thought_signature}}.
boost::json::object signature_to_wire(const std::string& signature, const std::string& signed_by);
void read_signature(const boost::json::object& call, ToolCall&);

}  // namespace models::openai
