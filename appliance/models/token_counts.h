// Token counts made without a model's tokenizer. max_prompt_tokens and estimate_tokens are in chat.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "appliance/models/chat.h"

namespace models {

// The counterpart of max_prompt_tokens, the minimum of a model's context that a request needs: a lower limit for every
// tokenizer and language. Assumes more letters per token than any language has, and the longest tokens of one repeated
// character. 0 for most conversations.
std::int64_t least_tokens(const ChatRequest&);

// A count close to those of common tokenizers, and above them for nearly all texts: for prose, code and other scripts
// 1.0 to 1.6 times as many.
class TokenCounter {
 public:
  // Pieces may end anywhere.
  void add(std::string_view text);
  std::int64_t count() const;

 private:
  enum class Kind { letters, other, blanks, signs };
  void end_run();

  Kind kind_ = Kind::signs;
  std::int64_t run_ = 0;     // characters of that kind since the last one of another
  std::int64_t tokens_ = 0;  // of what was before
};

std::int64_t counted_tokens(const ChatRequest&);
std::int64_t counted_tokens(const Message&);  // without its reasoning

}  // namespace models
