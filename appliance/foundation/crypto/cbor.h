// Reads CBOR (RFC 8949) in the canonical form that authenticators must write (CTAP2, "message encoding"): definite
// lengths, every number in its shortest form, no tags, no floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace crypto {

// A cursor over bytes that outlive it. Each call reads one item and advances; it returns nothing, or false, if the next
// item is of another kind, is not in canonical form, or is truncated. After that every call fails. Allocates no memory.
class CborReader {
 public:
  explicit CborReader(std::string_view bytes) : bytes_(bytes) {}

  std::optional<std::int64_t> integer();     // within std::int64_t
  std::optional<std::string_view> string();  // of bytes
  std::optional<std::string_view> text();
  std::optional<std::uint64_t> map();  // the number of pairs that follow: a key and a value each
  // Skips any one item with its content, nested at most `max_depth` deep.
  bool skip();

  bool failed() const { return failed_; }
  bool at_end() const { return !failed_ && at_ == bytes_.size(); }
  std::size_t position() const { return at_; }

  static constexpr int max_depth = 4;  // CTAP2's own bound

 private:
  struct Head {
    unsigned major;  // 0 to 7
    std::uint64_t argument;
  };
  std::optional<Head> head();
  std::optional<Head> head_of(unsigned major);
  std::optional<std::string_view> take(std::uint64_t count);
  bool skip(int depth);
  std::nullopt_t fail();

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace crypto
