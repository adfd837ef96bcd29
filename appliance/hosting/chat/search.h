// Finding messages by their text. Without an index: reading 10,000 messages takes some 30 ms, less than keeping an
// index would cost with every message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/chat/chat.h"

namespace chat {

struct Found {
  std::vector<Message> messages;  // oldest first
  std::string next;               // Slice::before of the search for more; empty: everything has been searched
};

// Whatever the case of ASCII letters.
bool contains_text(std::string_view text, std::string_view words);

// How many messages one search looks through.
inline constexpr std::size_t max_searched = 10'000;

// The newest messages with this text, whatever the case of its ASCII letters. Errors of Chat::history.
web::Result<Found> search(const Chat&, store::UserId, const Slice&, std::string_view text);

}  // namespace chat
