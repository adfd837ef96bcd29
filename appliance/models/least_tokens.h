// The other end of chat.h's most_tokens: what a request takes of a model's context at the very least.
#pragma once

#include <cstdint>

#include "appliance/models/chat.h"

namespace models {

// No text of a length worth counting makes fewer: no language comes near so many letters a token, and vocabularies have
// no longer tokens of one repeated sign. 0 for most conversations.
std::int64_t least_tokens(const ChatRequest&);

}  // namespace models
