// Finding messages by their text.
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

// How many messages one search looks through.
inline constexpr std::size_t most_searched = 10'000;

// The newest messages with this text, whatever the case of its ASCII letters. Errors of Chat::history.
web::Result<Found> search(const Chat&, store::UserId, const Slice&, std::string_view text);

}  // namespace chat
