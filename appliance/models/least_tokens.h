// The counterpart of most_tokens in chat.h: the minimum of a model's context that a request needs.
#pragma once

#include <cstdint>

#include "appliance/models/chat.h"

namespace models {

// A lower limit for every tokenizer and language: assumes more letters per token than any language has, and the longest
// tokens of one repeated character. 0 for most conversations.
std::int64_t least_tokens(const ChatRequest&);

}  // namespace models
