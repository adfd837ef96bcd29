#include "appliance/files/explorer/raw.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "appliance/files/root.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace explorer {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t sniffed_bytes = 8 * 1024;

// Types that browsers display without executing anything. Not PDF and SVG: both may contain scripts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> shown_types{{
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".jpeg", "image/jpeg"},
    {".gif", "image/gif"},
    {".webp", "image/webp"},
    {".avif", "image/avif"},
    {".bmp", "image/bmp"},
    {".ico", "image/x-icon"},
    {".mp3", "audio/mpeg"},
    {".ogg", "audio/ogg"},
    {".opus", "audio/ogg"},
    {".wav", "audio/wav"},
    {".flac", "audio/flac"},
    {".m4a", "audio/mp4"},
    {".mp4", "video/mp4"},
    {".webm", "video/webm"},
    {".ogv", "video/ogg"},
}};
constexpr std::string_view text_type = "text/plain; charset=utf-8", other_type = "application/octet-stream";

bool ends_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() > end.size() && web::equal_ignoring_case(text.substr(text.size() - end.size()), end);
}

// The text without an incomplete character at its end.
std::string_view whole_characters(std::string_view text) {
  std::size_t last = text.size();
  while (last > 0 && text.size() - last < 3 && (static_cast<unsigned char>(text[last - 1]) & 0xC0) == 0x80) --last;
  if (last == 0) return text;
  const auto lead = static_cast<unsigned char>(text[last - 1]);
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  return lead < 0xF8 && text.size() - last + 1 < length ? text.substr(0, last - 1) : text;
}

bool is_text(std::string_view beginning) {
  return beginning.find('\0') == std::string_view::npos && web::is_utf8(whole_characters(beginning));
}

// Two versions written within one tick of the kernel's clock have the same timestamps. Therefore the tag is weak until
// a second has passed (RFC 9110, section 8.8.2.2).
web::Validators validators_of(const struct stat& info) {
  const auto hex = [](auto number) {
    std::string digits;
    for (auto rest = static_cast<std::uint64_t>(number); rest != 0; rest >>= 4) {
      digits.insert(digits.begin(), "0123456789abcdef"[rest & 15]);
    }
    return digits;
  };
  const auto changed = std::chrono::sys_time<std::chrono::nanoseconds>(std::chrono::seconds(info.st_ctim.tv_sec) +
                                                                       std::chrono::nanoseconds(info.st_ctim.tv_nsec));
  const bool may_change_unseen = std::chrono::system_clock::now() - changed < 1s;
  return {.etag = std::string(may_change_unseen ? "W/" : "") + '"' + hex(info.st_ino) + '-' + hex(info.st_size) + '-' +
                  hex(changed.time_since_epoch().count()) + '"',
          .modified = std::chrono::sys_seconds(std::chrono::seconds(info.st_mtim.tv_sec))};
}

std::size_t read_some(const files::Descriptor& file, char* to, std::size_t size, std::uint64_t offset) {
  for (;;) {
    const auto got = ::pread(file.get(), to, size, static_cast<off_t>(offset));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw std::runtime_error("the file cannot be read");
  }
}

}  // namespace

web::Result<Raw> open_raw(const Place& place, std::string_view path) {
  const auto components = readable(place, path);
  if (!components) return components.error();
  if (components->empty()) return web::invalid("path must name a file");
  const auto root = files::Root::open(place.folder);
  if (!root) return root.error();
  auto file = root->open(*components, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) return file.error();
  struct stat info {};
  if (::fstat(file->get(), &info) != 0) return files::error_of(errno);
  if (S_ISDIR(info.st_mode)) return files::error_of(EISDIR);
  if (!S_ISREG(info.st_mode)) return files::error_of(ENXIO);
  std::string beginning(sniffed_bytes, '\0');
  beginning.resize(read_some(*file, beginning.data(), beginning.size(), 0));
  auto type = raw_type(components->back(), beginning);
  return Raw{.file = std::move(*file),
             .size = static_cast<std::uint64_t>(info.st_size),
             .name = components->back(),
             .type = std::move(type),
             .validators = validators_of(info)};
}

std::string read_piece(const files::Descriptor& file, std::uint64_t offset, std::size_t size) {
  std::string piece(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const auto got = read_some(file, piece.data() + done, size - done, offset + done);
    if (got == 0) throw std::runtime_error("the file has become shorter");
    done += got;
  }
  return piece;
}

std::string raw_type(std::string_view name, std::string_view beginning) {
  const auto known =
      std::ranges::find_if(shown_types, [&](const auto& type) { return ends_ignoring_case(name, type.first); });
  if (known != shown_types.end()) return std::string(known->second);
  return std::string(is_text(beginning) ? text_type : other_type);
}

std::string attachment(std::string_view name) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string plain, encoded;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_letter = web::is_alphanumeric(static_cast<char>(c));
    const bool is_simple = is_letter || c == '.' || c == '-' || c == '_';
    plain += is_simple || c == ' ' ? c : '_';
    if (is_simple) {
      encoded += c;
    } else {
      encoded += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return "attachment; filename=\"" + plain + "\"; filename*=UTF-8''" + encoded;
}

}  // namespace explorer
