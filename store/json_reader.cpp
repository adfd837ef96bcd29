#include "store/json_reader.h"

#include <algorithm>
#include <charconv>

#include "store/engine.h"

namespace store {
namespace {

void append_utf8(std::string& out, unsigned code) {
  const auto push = [&out](unsigned byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    push(code);
  } else if (code < 0x800) {
    push(0xc0 | code >> 6);
    push(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    push(0xe0 | code >> 12);
    push(0x80 | (code >> 6 & 0x3f));
    push(0x80 | (code & 0x3f));
  } else {
    push(0xf0 | code >> 18);
    push(0x80 | (code >> 12 & 0x3f));
    push(0x80 | (code >> 6 & 0x3f));
    push(0x80 | (code & 0x3f));
  }
}

}  // namespace

void JsonReader::fail(const char* what) const {
  throw Corrupt("a stored record is damaged: byte " + std::to_string(at_ - bytes_.data()) + " of its JSON " + what);
}

std::string_view JsonReader::string_with_escapes(const char* from) {
  unescaped_.assign(from, at_);
  for (;;) {
    const char* run = at_;
    at_ = end_of_plain(at_, end_);
    unescaped_.append(run, at_);
    if (at_ == end_) fail("ends within a string");
    if (static_cast<unsigned char>(*at_) < 0x20) fail("is a control character within a string");
    if (*at_++ == '"') return unescaped_;
    escape();
  }
}

void JsonReader::escape() {
  if (at_ == end_) fail("ends within a string");
  switch (*at_++) {
    case '"':
      unescaped_.push_back('"');
      return;
    case '\\':
      unescaped_.push_back('\\');
      return;
    case '/':
      unescaped_.push_back('/');
      return;
    case 'b':
      unescaped_.push_back('\b');
      return;
    case 'f':
      unescaped_.push_back('\f');
      return;
    case 'n':
      unescaped_.push_back('\n');
      return;
    case 'r':
      unescaped_.push_back('\r');
      return;
    case 't':
      unescaped_.push_back('\t');
      return;
    case 'u':
      break;
    default:
      fail("is no escape");
  }
  auto code = four_hex_digits();
  if (code >= 0xdc00 && code < 0xe000) fail("is half a surrogate pair");
  if (code >= 0xd800 && code < 0xdc00) {
    if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') fail("is half a surrogate pair");
    at_ += 2;
    const auto low = four_hex_digits();
    if (low < 0xdc00 || low >= 0xe000) fail("is half a surrogate pair");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  append_utf8(unescaped_, code);
}

unsigned JsonReader::four_hex_digits() {
  unsigned code = 0;
  if (end_ - at_ < 4) fail("ends within an escape");
  const auto [stop, error] = std::from_chars(at_, at_ + 4, code, 16);
  if (error != std::errc() || stop != at_ + 4) fail("is no hexadecimal digit");
  at_ += 4;
  return code;
}

std::string_view JsonReader::number_text() {
  peek();
  const char* from = at_;
  const auto digits = [this] {
    if (at_ == end_ || !is_digit(*at_)) fail("is no digit");
    while (at_ != end_ && is_digit(*at_)) ++at_;
  };
  if (at_ != end_ && *at_ == '-') ++at_;
  if (at_ != end_ && *at_ == '0')
    ++at_;
  else
    digits();
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    digits();
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    digits();
  }
  return {from, static_cast<std::size_t>(at_ - from)};
}

std::int64_t JsonReader::int64() {
  const auto text = number_text();
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) fail("ends no whole number of 64 bits");
  return number;
}

std::uint64_t JsonReader::uint64() {
  const auto text = number_text();
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) fail("ends no whole positive number of 64 bits");
  return number;
}

double JsonReader::number() {
  const auto text = number_text();
  double number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) fail("ends no number");
  return number;
}

bool JsonReader::boolean() {
  const bool yes = peek() == 't';
  literal(yes ? "true" : "false");
  return yes;
}

bool JsonReader::null() {
  if (peek() != 'n') return false;
  literal("null");
  return true;
}

void JsonReader::literal(std::string_view text) {
  if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, text.size()) != text)
    fail("is not what should stand here");
  at_ += text.size();
}

std::string_view JsonReader::skip() {
  const char first = peek();
  const char* from = at_;
  switch (first) {
    case '{':
      object([this](std::string_view) { skip(); });
      break;
    case '[':
      array([this] { skip(); });
      break;
    case '"':
      string();
      break;
    case 't':
    case 'f':
      boolean();
      break;
    case 'n':
      literal("null");
      break;
    default:
      number_text();
  }
  return {from, static_cast<std::size_t>(at_ - from)};
}

void JsonReader::finish() {
  peek();
  if (at_ != end_) fail("follows its end");
}

namespace {

void append_escaped(std::string& out, char c) {
  constexpr auto hex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out.push_back('\\');
  switch (c) {
    case '"':
    case '\\':
      out.push_back(c);
      break;
    case '\n':
      out.push_back('n');
      break;
    case '\r':
      out.push_back('r');
      break;
    case '\t':
      out.push_back('t');
      break;
    default:
      out.append("u00").append(1, hex[byte >> 4]).append(1, hex[byte & 15]);
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  const auto plain = static_cast<std::size_t>(end_of_plain(text.data(), text.data() + text.size()) - text.data());
  const auto at = out.size();
  out.resize(at + plain + 2, '"');
  text.copy(out.data() + at + 1, plain);
  if (plain == text.size()) return;
  out.pop_back();
  for (const char c : text.substr(plain)) is_plain(c) ? out.push_back(c) : append_escaped(out, c);
  out.push_back('"');
}

}  // namespace store
