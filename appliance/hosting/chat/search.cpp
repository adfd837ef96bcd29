#include "appliance/hosting/chat/search.h"

#include <algorithm>

#include "web/ascii.h"

namespace chat {

namespace {

constexpr std::size_t batch = 200;  // messages read at once

}  // namespace

bool contains_text(std::string_view text, std::string_view words) {
  const auto same = [](char left, char right) { return web::to_lower(left) == web::to_lower(right); };
  return std::search(text.begin(), text.end(), words.begin(), words.end(), same) != text.end() || words.empty();
}

web::Result<Found> search(const Chat& chat, store::UserId user, const Slice& slice, std::string_view text) {
  Found found;
  Slice part{.agent = slice.agent, .conversation = slice.conversation, .limit = batch, .before = slice.before};
  for (std::size_t searched = 0; searched < max_searched; searched += batch) {
    auto read = chat.history(user, part);
    if (!read) return read.error();
    const bool is_last = read->size() < batch;
    std::ranges::reverse(*read);
    for (auto& message : *read) {
      part.before = message.id;
      if (!contains_text(message.content, text)) continue;
      found.messages.push_back(std::move(message));
      if (found.messages.size() == slice.limit) break;
    }
    const bool is_full = found.messages.size() == slice.limit;
    found.next = is_last && !is_full ? std::string() : part.before;
    if (is_last || is_full) break;
  }
  std::ranges::reverse(found.messages);
  return found;
}

}  // namespace chat
