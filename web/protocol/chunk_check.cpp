#include "web/protocol/chunk_check.h"

#include <algorithm>

#include "web/ascii.h"
#include "web/protocol/byte_table.h"
#include "web/protocol/head_check.h"

namespace web {
namespace {

ChunkDecoder::Step refuse(int status, std::string_view reason) {
  return {.state = ChunkDecoder::State::refused, .status = status, .reason = reason};
}

// RFC 9110, 5.6.4: the characters of a quoted-string between its quotes, and those that may follow its backslash.
constexpr ByteTable quoted_byte([](unsigned char c) {
  return c == '\t' || (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f);
});

std::size_t white_at(std::string_view text) { return std::min(text.find_first_not_of(" \t"), text.size()); }

std::size_t token_at(std::string_view text) {
  return static_cast<std::size_t>(
      std::find_if_not(text.begin(), text.end(), [](char c) { return token_byte.holds(c); }) - text.begin());
}

// The size of the quoted-string that `text` begins with, 0 if it does not end.
std::size_t quoted_at(std::string_view text) {
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') {
      if (++at == text.size() || !value_byte.holds(text[at])) return 0;
    } else if (!quoted_byte.holds(text[at])) {
      return 0;
    }
  }
  return 0;
}

// chunk-ext of RFC 9112, 7.1.1: *( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] ).
bool well_formed_extensions(std::string_view rest) {
  while (!rest.empty()) {
    rest.remove_prefix(white_at(rest));
    if (!rest.starts_with(';')) return false;
    rest.remove_prefix(1);
    rest.remove_prefix(white_at(rest));
    const auto name = token_at(rest);
    if (name == 0) return false;
    rest.remove_prefix(name);
    const auto after = rest.substr(white_at(rest));
    if (!after.starts_with('=')) continue;
    rest = after.substr(1);
    rest.remove_prefix(white_at(rest));
    const auto value = rest.starts_with('"') ? quoted_at(rest) : token_at(rest);
    if (value == 0) return false;
    rest.remove_prefix(value);
  }
  return true;
}

// Fields about framing and routing are not allowed in trailers.
bool forbidden_trailer(std::string_view name) {
  return equal_ignoring_case(name, "content-length") || equal_ignoring_case(name, "transfer-encoding") ||
         equal_ignoring_case(name, "host") || equal_ignoring_case(name, "connection") ||
         equal_ignoring_case(name, "authorization") || equal_ignoring_case(name, "cookie");
}

}  // namespace

ChunkDecoder::Step ChunkDecoder::next(std::string_view input) {
  switch (expect_) {
    case Expect::size_line:
      return size_line(input);
    case Expect::data: {
      if (input.empty()) return {};
      auto piece = input.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, input.size())));
      remaining_ -= piece.size();
      if (remaining_ == 0) expect_ = Expect::data_end;
      return {.state = State::data, .consumed = piece.size(), .data = piece};
    }
    case Expect::data_end: {
      auto seen = input.substr(0, 2);
      if (seen != std::string_view("\r\n").substr(0, seen.size())) {
        return refuse(400, "A chunk is longer than announced.");
      }
      if (seen.size() < 2) return {};
      expect_ = Expect::size_line;
      auto step = size_line(input.substr(2));
      step.consumed += 2;
      return step;
    }
    case Expect::trailer:
      return trailer(input);
  }
  return refuse(400, "The chunked body is malformed.");
}

ChunkDecoder::Step ChunkDecoder::size_line(std::string_view input) {
  auto line = input.substr(0, line_bytes);
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < line.size() && hex_digit(line[digits]) >= 0; ++digits) {
    if (digits == 16) return refuse(400, "A chunk size is too long.");
    size = size << 4 | static_cast<unsigned>(hex_digit(line[digits]));
  }
  if (digits == line.size()) return {};
  if (digits == 0) return refuse(400, "A chunk size is not a hexadecimal number.");

  if (std::string_view("; \t\r").find(line[digits]) == std::string_view::npos)
    return refuse(400, "A chunk size line is malformed.");
  const auto end = static_cast<std::size_t>(std::find_if_not(line.begin() + static_cast<std::ptrdiff_t>(digits),
                                                             line.end(), [](char c) { return value_byte.holds(c); }) -
                                            line.begin());
  if (end == line.size()) return line.size() == line_bytes ? refuse(400, "A chunk size line is too long.") : Step{};
  if (line[end] != '\r') return refuse(400, "A chunk size line is malformed.");
  if (end + 1 == line.size()) return line.size() == line_bytes ? refuse(400, "A chunk size line is too long.") : Step{};
  if (line[end + 1] != '\n') return refuse(400, "A chunk size line is malformed.");
  if (!well_formed_extensions(line.substr(digits, end - digits))) return refuse(400, "A chunk extension is malformed.");

  if (size > limit_ || total_ > limit_ - size) return refuse(413, body_too_large);
  total_ += size;
  remaining_ = size;
  expect_ = size == 0 ? Expect::trailer : Expect::data;
  auto step = next(input.substr(end + 2));
  step.consumed += end + 2;
  return step;
}

ChunkDecoder::Step ChunkDecoder::trailer(std::string_view input) {
  std::size_t used = 0;
  for (;;) {
    auto rest = input.substr(used);
    auto end = rest.find('\n');
    auto seen = end == std::string_view::npos ? rest.size() : end + 1;
    if (trailer_bytes_ + seen > trailer_bytes) return refuse(431, "The trailers are too large.");
    if (end == std::string_view::npos) return {.consumed = used};
    if (end == 0 || rest[end - 1] != '\r') return refuse(400, "Lines must end in CRLF.");
    auto line = rest.substr(0, end - 1);
    used += seen;
    trailer_bytes_ += seen;
    if (line.empty()) return {.state = State::done, .consumed = used};
    if (++trailer_fields_ > trailer_fields) return refuse(431, "There are too many trailers.");
    if (!well_formed_field(line) || forbidden_trailer(line.substr(0, line.find(':')))) {
      return refuse(400, "A trailer is malformed.");
    }
  }
}

}  // namespace web
