#include "appliance/models/remote_images.h"

#include <algorithm>

#include "appliance/foundation/crypto/base64.h"

namespace models {

namespace {

constexpr int max_redirects = 3;

// Empty: none of the images that all providers take.
std::string_view image_type(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
  if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return "image/gif";
  if (bytes.starts_with("RIFF") && bytes.size() > 12 && bytes.substr(8, 4) == "WEBP") return "image/webp";
  return {};
}

bool is_to_fetch(const Part& part, const Provider& provider) {
  return part.is_image() && !inline_image(part.url) && !provider.fetches(part.url);
}

web::Error refused(std::size_t message, std::size_t part, std::string_view why) {
  return web::invalid("messages[" + std::to_string(message) + "].content[" + std::to_string(part) + "].image_url " +
                      std::string(why));
}

}  // namespace

bool has_images_to_fetch(const ChatRequest& request, const Provider& provider) {
  return std::ranges::any_of(request.messages, [&](const Message& message) {
    return std::ranges::any_of(message.parts, [&](const Part& part) { return is_to_fetch(part, provider); });
  });
}

web::Task<web::Result<ChatRequest>> with_fetched_images(ChatRequest request, const Provider& provider,
                                                        web::Reach reach) {
  std::size_t left = max_remote_images_bytes;
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    auto& parts = request.messages[i].parts;
    for (std::size_t at = 0; at < parts.size(); ++at) {
      if (!is_to_fetch(parts[at], provider)) continue;
      web::FetchRequest fetching{.url = parts[at].url, .reach = reach};
      fetching.origin = request.origin;
      fetching.max_redirects = max_redirects;
      fetching.max_bytes = std::min(max_remote_image_bytes, left);
      fetching.headers.emplace_back("Accept", "image/png, image/jpeg, image/gif, image/webp");
      const auto answer = co_await web::fetch(std::move(fetching));
      if (!answer) co_return refused(i, at, "cannot be fetched for this model's provider: " + answer.error().message);
      if (answer->status != 200)
        co_return refused(
            i, at,
            "cannot be fetched for this model's provider: its server answered " + std::to_string(answer->status));
      const auto type = image_type(answer->body);
      if (type.empty()) co_return refused(i, at, "must lead to a PNG, JPEG, GIF or WebP image");
      left -= answer->body.size();
      parts[at].url = "data:" + std::string(type) + ";base64," + crypto::to_base64(answer->body);
    }
  }
  co_return request;
}

}  // namespace models
