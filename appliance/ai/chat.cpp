#include "appliance/ai/chat.h"

#include <boost/json/serialize.hpp>

namespace ai {

namespace {
// What a vendor's template adds around each message: role and separators.
constexpr std::int64_t tokens_around_message = 4;
}  // namespace

std::int64_t estimate_tokens(std::string_view text) { return static_cast<std::int64_t>((text.size() + 3) / 4); }

std::int64_t estimate_tokens(const Message& message) {
  auto tokens = tokens_around_message + estimate_tokens(message.content);
  for (const auto& call : message.tool_calls) tokens += estimate_tokens(call.name) + estimate_tokens(call.arguments);
  return tokens;
}

std::int64_t estimate_tokens(const ChatRequest& request) {
  std::int64_t tokens = 0;
  for (const auto& message : request.messages) tokens += estimate_tokens(message);
  for (const auto& tool : request.tools) {
    tokens += estimate_tokens(tool.name) + estimate_tokens(tool.description) +
              estimate_tokens(boost::json::serialize(tool.parameters));
  }
  return tokens;
}

}  // namespace ai
