#define ZLIB_CONST
#include <zlib.h>

#include <array>
#include <new>
#include <optional>
#include <string>

#include "web/protocol/content_coding.h"

namespace web {
namespace {

constexpr std::size_t piece_bytes = 16 * 1024;
// The window bits that select a format in inflateInit2.
constexpr int in_zlib = 15, bare = -15, in_gzip = 15 + 16;

class Inflater {
 public:
  explicit Inflater(int format) {
    if (::inflateInit2(&stream_, format) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Decodes up to the end of the stream and leaves the following bytes in `bytes`.
  Decoding write(std::string_view& bytes, const ContentCoding::Sink& sink) {
    std::array<char, piece_bytes> piece;
    do {
      stream_.next_in = reinterpret_cast<const Bytef*>(bytes.data());
      stream_.avail_in = uInt(bytes.size());
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = uInt(piece.size());
      const int code = ::inflate(&stream_, Z_NO_FLUSH);
      if (code == Z_MEM_ERROR) throw std::bad_alloc();
      has_ended_ = code == Z_STREAM_END;
      const bool is_short_of_bytes = code == Z_BUF_ERROR;
      if (code != Z_OK && !has_ended_ && !is_short_of_bytes) return Decoding::broken;
      bytes.remove_prefix(bytes.size() - stream_.avail_in);
      const std::string_view made(piece.data(), piece.size() - stream_.avail_out);
      if (made.empty()) continue;
      if (const auto result = sink(made); result != Decoding::ok) return result;
    } while (!has_ended_ && stream_.avail_out == 0);
    return Decoding::ok;
  }
  bool has_ended() const { return has_ended_; }
  void begin_again() {
    ::inflateReset(&stream_);
    has_ended_ = false;
  }

 private:
  z_stream stream_{};
  bool has_ended_ = false;
};

class Gzip : public ContentCoding {
 public:
  Decoding write(std::string_view bytes, const Sink& sink) override {
    while (!bytes.empty() && state_ != State::over) {
      if (state_ == State::between_members) {
        look_for_member(bytes);
      } else if (const auto result = inflater_.write(bytes, sink); result != Decoding::ok) {
        return result;
      } else if (inflater_.has_ended()) {
        state_ = State::between_members;
      }
    }
    return Decoding::ok;
  }
  bool is_complete() const override { return state_ != State::in_member; }

 private:
  enum class State { in_member, between_members, over };
  static constexpr std::string_view magic = "\x1f\x8b";

  // Bytes that do not begin like a member are padding.
  void look_for_member(std::string_view& bytes) {
    if (bytes.front() != magic[magic_seen_]) {
      state_ = State::over;
      return;
    }
    bytes.remove_prefix(1);
    if (++magic_seen_ < magic.size()) return;
    magic_seen_ = 0;
    state_ = State::in_member;
    inflater_.begin_again();
    auto seen = magic;
    inflater_.write(seen, [](std::string_view) { return Decoding::ok; });
  }

  State state_ = State::in_member;
  std::size_t magic_seen_ = 0;  // between members
  Inflater inflater_{in_gzip};
};

// RFC 1950, 2.2. A raw stream could begin like this only with a stored block with nonzero padding bits.
bool begins_like_zlib(std::string_view two) {
  const unsigned method = static_cast<unsigned char>(two[0]), flags = static_cast<unsigned char>(two[1]);
  return (method & 0x0f) == 8 && method >> 4 <= 7 && (method << 8 | flags) % 31 == 0;
}

class Deflate : public ContentCoding {
 public:
  Decoding write(std::string_view bytes, const Sink& sink) override {
    if (!inflater_) {
      const auto missing = bytes.substr(0, 2 - beginning_.size());
      beginning_ += missing;
      bytes.remove_prefix(missing.size());
      if (beginning_.size() < 2) return Decoding::ok;
      inflater_.emplace(begins_like_zlib(beginning_) ? in_zlib : bare);
      std::string_view begun = beginning_;
      if (const auto result = inflater_->write(begun, sink); result != Decoding::ok) return result;
    }
    return is_complete() ? Decoding::ok : inflater_->write(bytes, sink);
  }
  bool is_complete() const override { return inflater_ && inflater_->has_ended(); }

 private:
  std::string beginning_;  // the first two bytes, which determine the format
  std::optional<Inflater> inflater_;
};

}  // namespace

std::unique_ptr<ContentCoding> gzip_coding() { return std::make_unique<Gzip>(); }
std::unique_ptr<ContentCoding> deflate_coding() { return std::make_unique<Deflate>(); }

}  // namespace web
