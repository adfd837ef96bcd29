#include "appliance/media/videos/picture.h"

#include <cstdint>

#include "web/client/fetch.h"

namespace videos {

namespace {

using web::Result;

constexpr std::size_t max_bytes = 10u << 20;
constexpr std::uint64_t max_pixels = 40'000'000;
constexpr std::chrono::seconds fetch_time{15};
constexpr int max_redirects = 5;

struct Size {
  unsigned width = 0, height = 0;
};

unsigned byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }
unsigned big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  unsigned value = 0;
  for (std::size_t i = 0; i < count; ++i) value = (value << 8) | byte_at(bytes, at + i);
  return value;
}
unsigned little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  unsigned value = 0;
  for (std::size_t i = count; i-- > 0;) value = (value << 8) | byte_at(bytes, at + i);
  return value;
}

std::optional<Size> png_size(std::string_view bytes) {
  if (bytes.size() < 33 || bytes.substr(12, 4) != "IHDR") return std::nullopt;
  return Size{big_endian(bytes, 16, 4), big_endian(bytes, 20, 4)};
}

std::optional<Size> gif_size(std::string_view bytes) {
  if (bytes.size() < 13) return std::nullopt;
  return Size{little_endian(bytes, 6, 2), little_endian(bytes, 8, 2)};
}

// The first frame header among the segments (ITU T.81, annex B).
std::optional<Size> jpeg_size(std::string_view bytes) {
  for (std::size_t at = 2; at + 9 < bytes.size();) {
    if (byte_at(bytes, at) != 0xFF) return std::nullopt;
    const unsigned marker = byte_at(bytes, at + 1);
    if (marker == 0xFF) {
      ++at;
      continue;
    }
    const bool is_frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (is_frame) return Size{big_endian(bytes, at + 7, 2), big_endian(bytes, at + 5, 2)};
    const unsigned length = big_endian(bytes, at + 2, 2);
    if (length < 2) return std::nullopt;
    at += 2 + length;
  }
  return std::nullopt;
}

// The three forms of RFC 9649.
std::optional<Size> webp_size(std::string_view bytes) {
  if (bytes.size() < 30) return std::nullopt;
  const auto chunk = bytes.substr(12, 4);
  if (chunk == "VP8 ") return Size{little_endian(bytes, 26, 2) & 0x3FFF, little_endian(bytes, 28, 2) & 0x3FFF};
  if (chunk == "VP8X") return Size{little_endian(bytes, 24, 3) + 1, little_endian(bytes, 27, 3) + 1};
  if (chunk != "VP8L") return std::nullopt;
  const unsigned bits = little_endian(bytes, 21, 4);
  return Size{(bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1};
}

web::Error not_a_picture() {
  return web::invalid("imageUrl must be a PNG, JPEG, GIF or WebP picture that can be fetched");
}

}  // namespace

Result<Picture> look_at(std::string bytes) {
  Picture picture;
  std::optional<Size> size;
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) {
    picture.demuxer = "png_pipe";
    size = png_size(bytes);
  } else if (bytes.starts_with("\xFF\xD8\xFF")) {
    picture.demuxer = "jpeg_pipe";
    size = jpeg_size(bytes);
  } else if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) {
    picture.demuxer = "gif_pipe";
    size = gif_size(bytes);
  } else if (bytes.starts_with("RIFF") && std::string_view(bytes).substr(8, 4) == "WEBP") {
    picture.demuxer = "webp_pipe";
    size = webp_size(bytes);
  }
  if (!size || size->width == 0 || size->height == 0) return not_a_picture();
  if (std::uint64_t(size->width) * size->height > max_pixels)
    return web::invalid("imageUrl is a picture of more than 40 megapixels");
  picture.width = size->width;
  picture.height = size->height;
  picture.bytes = std::move(bytes);
  return picture;
}

web::Task<Result<Picture>> fetch_picture(std::string url, bool allow_private) {
  web::FetchRequest request{.url = std::move(url)};
  request.headers = {{"Accept", "image/png,image/jpeg,image/webp,image/gif"}};
  request.reach = allow_private ? web::Reach::configured : web::Reach::public_only;
  request.origin.part = "videos";
  request.max_redirects = max_redirects;
  request.timeout = fetch_time;
  request.max_bytes = max_bytes;
  auto response = co_await web::fetch(std::move(request));
  if (!response || response->status != 200) {
    auto error = not_a_picture();
    error.detail = response ? "status " + std::to_string(response->status) : response.error().message;
    co_return error;
  }
  co_return look_at(std::move(response->body));
}

}  // namespace videos
