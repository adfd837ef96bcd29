#include "appliance/media/videos/links.h"

#include <charconv>

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"

namespace videos {

std::string Links::signature_of(std::string_view video, std::string_view expires) const {
  std::string text(video);
  text.append(".").append(expires);
  return crypto::hex(crypto::hmac_sha256(key_, text));
}

Links::Link Links::link_to(std::string_view video, store::Time now) const {
  const auto expires_at = std::chrono::ceil<std::chrono::seconds>(now + lifetime_);
  const std::string expires = std::to_string(expires_at.time_since_epoch().count());
  return {.path = "/videos/" + std::string(video) + ".mp4?expires=" + expires +
                  "&signature=" + signature_of(video, expires),
          .expires_at = expires_at};
}

bool Links::is_valid(std::string_view video, std::string_view expires, std::string_view signature,
                     store::Time now) const {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(expires.data(), expires.data() + expires.size(), seconds);
  const bool is_number = error == std::errc() && end == expires.data() + expires.size();
  if (!is_number || std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count() >= seconds) return false;
  return crypto::constant_time_equal(signature, signature_of(video, expires));
}

}  // namespace videos
