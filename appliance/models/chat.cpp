#include "appliance/models/chat.h"

#include <boost/json/serialize.hpp>

namespace models {

namespace {
// Added around each message by a vendor's template: role and separators.
constexpr std::int64_t tokens_around_message = 4;
constexpr std::int64_t most_tokens_around_message = 16;
// The maximum that vendors count for an image: some hundreds for small ones (Gemini tiles, GPT-4o mini's 48k).
constexpr std::int64_t estimated_image_tokens = 1'000, most_image_tokens = 50'000;
// The system text that some vendors add before tools.
constexpr std::int64_t most_tokens_around_tools = 1'000;

std::int64_t images_in(const Message& message) {
  std::int64_t images = 0;
  for (const auto& part : message.parts) images += part.url.empty() ? 0 : 1;
  return images;
}
}  // namespace

std::optional<InlineImage> inline_image(std::string_view url) {
  constexpr std::string_view scheme = "data:", mark = ";base64,";
  const auto at = url.find(mark);
  if (!url.starts_with(scheme) || at == url.npos) return std::nullopt;
  return InlineImage{.type = url.substr(scheme.size(), at - scheme.size()), .data = url.substr(at + mark.size())};
}

bool has_images(const Message& message) { return images_in(message) > 0; }

std::int64_t most_tokens(const ChatRequest& request) {
  const auto bytes = [](std::string_view text) { return static_cast<std::int64_t>(text.size()); };
  std::int64_t tokens = most_tokens_around_message + bytes(boost::json::serialize(request.options));
  for (const auto& message : request.messages) {
    tokens += most_tokens_around_message + bytes(message.content) + images_in(message) * most_image_tokens;
    for (const auto& call : message.tool_calls)
      tokens += most_tokens_around_message + bytes(call.id) + bytes(call.name) + bytes(call.arguments);
    tokens += bytes(message.tool_call_id) + bytes(message.name);
  }
  if (!request.tools.empty()) tokens += most_tokens_around_tools;
  for (const auto& tool : request.tools) {
    tokens += most_tokens_around_message + bytes(tool.name) + bytes(tool.description) +
              bytes(boost::json::serialize(tool.parameters));
  }
  return tokens;
}

std::int64_t estimate_tokens(std::string_view text) { return static_cast<std::int64_t>((text.size() + 3) / 4); }

std::int64_t estimate_tokens(const Message& message) {
  auto tokens = tokens_around_message + estimate_tokens(message.content) + images_in(message) * estimated_image_tokens;
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

}  // namespace models
