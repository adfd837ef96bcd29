#include "appliance/models/chat.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

namespace models {

namespace {
// Added around each message by a vendor's template: role and separators.
constexpr std::int64_t tokens_around_message = 4;
constexpr std::int64_t max_tokens_around_message = 16;
// The maximum that vendors count for an image: some hundreds for small ones (Gemini tiles, GPT-4o mini's 48k).
constexpr std::int64_t estimated_image_tokens = 1'000, max_image_tokens = 50'000;
// Audio and documents: pages are images and text for vendors, a second of audio 10 to 32 tokens. By size, since the
// length is not known without decoding.
constexpr std::int64_t file_bytes_per_token = 40, least_file_tokens = 2'000;
// The system text that some vendors add before tools.
constexpr std::int64_t max_tokens_around_tools = 1'000;

std::int64_t images_in(const Message& message) {
  std::int64_t images = 0;
  for (const auto& part : message.parts) images += part.is_image() ? 1 : 0;
  return images;
}

std::int64_t tokens_of_files(const Message& message) {
  std::int64_t tokens = 0;
  for (const auto& part : message.parts) {
    if (part.is_text() || part.is_image()) continue;
    tokens += std::max(least_file_tokens, static_cast<std::int64_t>(part.url.size()) / file_bytes_per_token);
  }
  return tokens;
}
}  // namespace

std::optional<InlineImage> inline_image(std::string_view url) {
  constexpr std::string_view scheme = "data:", mark = ";base64,";
  const auto at = url.find(mark);
  if (!url.starts_with(scheme) || at == url.npos) return std::nullopt;
  return InlineImage{.type = url.substr(scheme.size(), at - scheme.size()), .data = url.substr(at + mark.size())};
}

bool has_images(const Message& message) { return images_in(message) > 0; }

bool is_empty(const Message& message) {
  return message.content.empty() && message.tool_calls.empty() && message.parts.empty() && message.refusal.empty();
}

std::int64_t max_prompt_tokens(const ChatRequest& request) {
  const auto bytes = [](std::string_view text) { return static_cast<std::int64_t>(text.size()); };
  std::int64_t tokens = max_tokens_around_message + bytes(boost::json::serialize(request.options)) +
                        bytes(boost::json::serialize(request.unknown));
  for (const auto& message : request.messages) {
    tokens += max_tokens_around_message + bytes(message.content) + images_in(message) * max_image_tokens +
              4 * tokens_of_files(message);
    for (const auto& call : message.tool_calls)
      tokens +=
          max_tokens_around_message + bytes(call.id) + bytes(call.name) + bytes(call.arguments) + bytes(call.signature);
    for (const auto& block : message.reasoning)
      tokens += max_tokens_around_message + bytes(block.text) + bytes(block.signature) + bytes(block.sealed);
    tokens += bytes(message.tool_call_id) + bytes(message.name) + bytes(message.refusal);
  }
  if (!request.tools.empty()) tokens += max_tokens_around_tools;
  for (const auto& tool : request.tools) {
    tokens += max_tokens_around_message + bytes(tool.name) + bytes(tool.description) +
              bytes(boost::json::serialize(tool.parameters));
  }
  return tokens;
}

std::int64_t estimate_tokens(std::string_view text) { return static_cast<std::int64_t>((text.size() + 3) / 4); }

std::int64_t estimate_tokens(const Message& message) {
  auto tokens = tokens_around_message + estimate_tokens(message.content) + estimate_tokens(message.refusal) +
                images_in(message) * estimated_image_tokens + tokens_of_files(message);
  for (const auto& block : message.reasoning) tokens += estimate_tokens(block.text);
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
