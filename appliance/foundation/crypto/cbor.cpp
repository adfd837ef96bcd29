#include "appliance/foundation/crypto/cbor.h"

#include <limits>

namespace crypto {

namespace {

enum Major : unsigned {
  positive = 0,
  negative = 1,
  byte_string = 2,
  text_string = 3,
  array = 4,
  pairs = 5,
  simple = 7
};

constexpr std::uint64_t first_simple = 20, last_simple = 22;  // false, true, null

}  // namespace

std::nullopt_t CborReader::fail() {
  failed_ = true;
  return std::nullopt;
}

// The low five bits are the argument up to 23; 24 to 27 mean that it follows in 1, 2, 4 or 8 bytes.
std::optional<CborReader::Head> CborReader::head() {
  const auto first = take(1);
  if (!first) return std::nullopt;
  const auto initial = static_cast<unsigned char>(first->front());
  const unsigned major = initial >> 5, low = initial & 31;
  if (low < 24) return Head{major, low};
  if (low > 27) return fail();  // reserved, or an indefinite length
  const unsigned width = 1u << (low - 24);
  const auto following = take(width);
  if (!following) return std::nullopt;
  std::uint64_t argument = 0;
  for (const char byte : *following) argument = argument << 8 | static_cast<unsigned char>(byte);
  const std::uint64_t shortest = width == 1 ? 24 : std::uint64_t{1} << (4 * width);
  if (argument < shortest) return fail();
  return Head{major, argument};
}

std::optional<CborReader::Head> CborReader::head_of(unsigned major) {
  const auto found = head();
  if (found && found->major != major) return fail();
  return found;
}

std::optional<std::string_view> CborReader::take(std::uint64_t count) {
  if (failed_ || count > bytes_.size() - at_) return fail();
  const auto taken = bytes_.substr(at_, count);
  at_ += taken.size();
  return taken;
}

std::optional<std::int64_t> CborReader::integer() {
  const auto found = head();
  if (!found) return std::nullopt;
  const bool fits = found->argument <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (found->major > negative || !fits) return fail();
  const auto value = static_cast<std::int64_t>(found->argument);
  return found->major == positive ? value : -1 - value;
}

std::optional<std::string_view> CborReader::string() {
  const auto found = head_of(byte_string);
  return found ? take(found->argument) : std::nullopt;
}

std::optional<std::string_view> CborReader::text() {
  const auto found = head_of(text_string);
  return found ? take(found->argument) : std::nullopt;
}

std::optional<std::uint64_t> CborReader::map() {
  const auto found = head_of(pairs);
  return found ? std::optional(found->argument) : std::nullopt;
}

bool CborReader::skip() { return skip(max_depth); }

// Every item takes at least one byte, so a false length fails at the end of the bytes.
bool CborReader::skip(int depth) {
  const auto found = head();
  if (!found) return false;
  switch (found->major) {
    case positive:
    case negative:
      return true;
    case byte_string:
    case text_string:
      return take(found->argument).has_value();
    case array:
    case pairs:
      if (depth == 0) break;
      for (std::uint64_t item = 0; item < found->argument; ++item)
        if (!skip(depth - 1) || (found->major == pairs && !skip(depth - 1))) return false;
      return true;
    case simple:
      if (found->argument >= first_simple && found->argument <= last_simple) return true;
      break;
    default:
      break;
  }
  fail();
  return false;
}

}  // namespace crypto
