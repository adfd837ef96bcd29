#include "appliance/box/standby/bucket_format.h"

#include <openssl/evp.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <memory>

#include "appliance/foundation/crypto/c_library.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"

namespace standby {

namespace {

constexpr std::string_view object_mark = "B1";
constexpr std::size_t nonce_size = 12, tag_size = 16;
constexpr int compression_level = 3;
constexpr std::uint64_t max_clear_bytes = 256u << 20;
constexpr store::Position max_segment_records = 1u << 24;

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, crypto::Release<EVP_CIPHER_CTX_free>>;

unsigned char* writable_bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

void require_openssl(int status, const char* what) {
  if (status <= 0) throw std::runtime_error(std::string("OpenSSL: ") + what);
}

std::string compressed(std::string_view clear) {
  std::string to(ZSTD_compressBound(clear.size()), '\0');
  const auto size = ZSTD_compress(to.data(), to.size(), clear.data(), clear.size(), compression_level);
  if (ZSTD_isError(size) != 0) throw std::runtime_error(std::string("Zstandard: ") + ZSTD_getErrorName(size));
  to.resize(size);
  return to;
}

std::string decompressed(std::string_view bytes) {
  const auto size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size > max_clear_bytes) throw std::runtime_error("an object of the bucket is too large");
  std::string to(size, '\0');
  const auto got = ZSTD_decompress(to.data(), to.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got) != 0 || got != size) throw std::runtime_error("an object of the bucket cannot be decompressed");
  return to;
}

std::string padded_hex(std::uint64_t value) {
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

std::string padded(std::int64_t value, int digits) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%0*lld", digits, static_cast<long long>(value));
  return text.data();
}

template <class T>
std::optional<T> read_digits(std::string_view text, int base) {
  T value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('/') + 1); }

}  // namespace

BucketSealer::BucketSealer(std::string_view master_key) : key_(crypto::derived_key(master_key, "bucket of standby")) {}

std::string BucketSealer::seal(std::string_view name, std::string_view clear) const {
  const auto text = compressed(clear);
  const auto nonce = crypto::random_bytes(nonce_size);
  const Cipher cipher(EVP_CIPHER_CTX_new());
  require_openssl(EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, crypto::unsigned_bytes(key_),
                                     crypto::unsigned_bytes(nonce)),
                  "cannot encrypt");
  int count = 0;
  require_openssl(
      EVP_EncryptUpdate(cipher.get(), nullptr, &count, crypto::unsigned_bytes(name), static_cast<int>(name.size())),
      "cannot encrypt");
  std::string sealed(text.size(), '\0');
  require_openssl(EVP_EncryptUpdate(cipher.get(), writable_bytes(sealed), &count, crypto::unsigned_bytes(text),
                                    static_cast<int>(text.size())),
                  "cannot encrypt");
  require_openssl(EVP_EncryptFinal_ex(cipher.get(), writable_bytes(sealed) + count, &count), "cannot encrypt");
  std::string tag(tag_size, '\0');
  require_openssl(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, tag_size, tag.data()), "cannot encrypt");
  return std::string(object_mark) + nonce + sealed + tag;
}

std::string BucketSealer::open(std::string_view name, std::string_view sealed) const {
  const WrongKey wrong("the master key does not open " + std::string(name) +
                       " of the bucket: use the one of the box, or the object was altered");
  if (!sealed.starts_with(object_mark) || sealed.size() < object_mark.size() + nonce_size + tag_size) throw wrong;
  const auto nonce = sealed.substr(object_mark.size(), nonce_size);
  std::string tag(sealed.substr(sealed.size() - tag_size));
  const auto text =
      sealed.substr(object_mark.size() + nonce_size, sealed.size() - object_mark.size() - nonce_size - tag_size);
  const Cipher cipher(EVP_CIPHER_CTX_new());
  require_openssl(EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, crypto::unsigned_bytes(key_),
                                     crypto::unsigned_bytes(nonce)),
                  "cannot decrypt");
  int count = 0;
  require_openssl(
      EVP_DecryptUpdate(cipher.get(), nullptr, &count, crypto::unsigned_bytes(name), static_cast<int>(name.size())),
      "cannot decrypt");
  std::string clear(text.size(), '\0');
  require_openssl(EVP_DecryptUpdate(cipher.get(), writable_bytes(clear), &count, crypto::unsigned_bytes(text),
                                    static_cast<int>(text.size())),
                  "cannot decrypt");
  require_openssl(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, tag_size, tag.data()), "cannot decrypt");
  if (EVP_DecryptFinal_ex(cipher.get(), writable_bytes(clear) + count, &count) <= 0) throw wrong;
  return decompressed(clear);
}

std::int64_t milliseconds_of(store::Time at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}
store::Time time_of_milliseconds(std::int64_t at) { return store::Time(std::chrono::milliseconds(at)); }

std::string write_note(const BaseNote& note) {
  return boost::json::serialize(
      boost::json::object{{"parts", note.parts}, {"bytes", note.bytes}, {"position", note.position}});
}
BaseNote read_note(const std::string& text) {
  const auto note = boost::json::parse(text).as_object();
  return {.parts = note.at("parts").to_number<std::int64_t>(),
          .bytes = note.at("bytes").to_number<std::int64_t>(),
          .position = note.at("position").to_number<std::uint64_t>()};
}

namespace bucket_names {

std::string new_generation(store::Time now) {
  const auto seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
  return std::string(text.data()) + "-" + crypto::random_hex(4);
}

std::string part(std::string_view folder, std::string_view generation, char kind, std::int64_t at,
                 std::int64_t number) {
  return std::string(folder) + std::string(generation) + "/" + kind + padded(at, 13) + "-" + padded(number, 7);
}
std::string end(std::string_view folder, std::string_view generation, char kind, std::int64_t at) {
  return std::string(folder) + std::string(generation) + "/" + kind + padded(at, 13) + "-end";
}

std::string segment(std::string_view generation, const SegmentName& name) {
  return segments + std::string(generation) + "/s" + padded_hex(name.first) + "-" + padded_hex(name.last) + "-" +
         padded(name.at, 13);
}
std::string segments_around(std::string_view generation, store::Position position) {
  const auto from = position - std::min(position, max_segment_records);
  return segments + std::string(generation) + "/s" + padded_hex(from);
}

std::string_view generation_in(std::string_view name) {
  const auto begin = name.find('/') + 1, end = name.find('/', begin);
  return name.substr(begin, end - begin);
}

std::optional<SegmentName> read_segment(std::string_view name) {
  const auto text = last_part(name);
  if (text.size() < 36 || text[0] != 's' || text[17] != '-' || text[34] != '-') return std::nullopt;
  const auto first = read_digits<std::uint64_t>(text.substr(1, 16), 16);
  const auto last = read_digits<std::uint64_t>(text.substr(18, 16), 16);
  const auto at = read_digits<std::int64_t>(text.substr(35), 10);
  if (!first || !last || !at || *first > *last) return std::nullopt;
  return SegmentName{*first, *last, *at};
}

std::optional<std::int64_t> read_time(std::string_view name, char kind) {
  const auto text = last_part(name);
  if (text.size() < 15 || text[0] != kind || text[14] != '-') return std::nullopt;
  return read_digits<std::int64_t>(text.substr(1, 13), 10);
}

std::optional<std::int64_t> read_end(std::string_view name, char kind) {
  return name.ends_with("-end") ? read_time(name, kind) : std::nullopt;
}

}  // namespace bucket_names

void append_write(std::string& segment, const TimedWrite& write) {
  segment += number(static_cast<std::uint64_t>(write.at)) + number(write.first) + number(write.last) +
             number(write.bytes.size());
  segment += write.bytes;
}

std::vector<TimedWrite> read_segment_content(std::string_view content) {
  std::vector<TimedWrite> writes;
  constexpr std::size_t head = 32;
  while (!content.empty()) {
    const auto size = read_number(content, 24);
    if (size > content.size() - head) throw std::runtime_error("a segment of the bucket is cut off");
    writes.push_back({.first = read_number(content, 8),
                      .last = read_number(content, 16),
                      .at = static_cast<std::int64_t>(read_number(content)),
                      .bytes = std::string(content.substr(head, size))});
    content.remove_prefix(head + size);
  }
  return writes;
}

void append_frame(std::string& to, Kind kind, std::string_view first, std::string_view second) {
  to += number(first.size() + second.size());
  to += static_cast<char>(kind);
  to += first;
  to += second;
}

std::optional<Frame> FrameReader::next() {
  constexpr std::size_t head = 9;
  const auto left = std::string_view(rest_).substr(at_);
  if (left.size() < head) return std::nullopt;
  const auto size = read_number(left);
  if (size > max_content) throw std::runtime_error("a frame of the bucket is too large");
  if (left.size() < head + size) return std::nullopt;
  Frame frame{static_cast<Kind>(left[8]), std::string(left.substr(head, size))};
  at_ += head + size;
  if (at_ > (1u << 20)) {
    rest_.erase(0, at_);
    at_ = 0;
  }
  return frame;
}

}  // namespace standby
