#include "summarizer/charset.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>

#include "summarizer/charset_guess.h"
#include "summarizer/charset_labels.h"
#include "summarizer/text.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace summarizer {
namespace {

constexpr std::size_t prescan_bytes = 1024;

std::size_t find_ignoring_case(std::string_view text, std::string_view what, std::size_t from = 0) {
  for (std::size_t at = from; at + what.size() <= text.size(); ++at) {
    if (web::equal_ignoring_case(text.substr(at, what.size()), what)) return at;
  }
  return text.npos;
}

// The value after "charset=", in a header or in a <meta> of either form.
std::string charset_after_key(std::string_view text) {
  for (std::size_t at = 0; (at = find_ignoring_case(text, "charset", at)) != text.npos;) {
    at += std::string_view("charset").size();
    std::size_t value = text.find_first_not_of(" \t\r\n\f", at);
    if (value == text.npos || text[value] != '=') continue;
    value = text.find_first_not_of(" \t\r\n\f\"'", value + 1);
    if (value == text.npos) return {};
    const auto end = text.find_first_of(" \t\r\n\f\"';>/", value);
    return charset_of_label(text.substr(value, end == text.npos ? end : end - value));
  }
  return {};
}

// A readable declaration cannot be in UTF-16.
std::string without_utf16(const std::string& charset) { return charset.starts_with("UTF-16") ? "UTF-8" : charset; }

// Of <?xml version="1.0" encoding="..."?>, at the very start.
std::string charset_of_xml(std::string_view head) {
  if (!head.starts_with("<?xml")) return {};
  const auto declaration = head.substr(0, head.find("?>"));
  const auto key = declaration.find("encoding");
  if (key == declaration.npos) return {};
  const auto open = declaration.find_first_of("\"'", key);
  if (open == declaration.npos) return {};
  const auto close = declaration.find(declaration[open], open + 1);
  if (close == declaration.npos) return {};
  return without_utf16(charset_of_label(declaration.substr(open + 1, close - open - 1)));
}

std::string charset_of_meta(std::string_view head) {
  for (std::size_t at = 0; (at = head.find('<', at)) != head.npos; ++at) {
    if (head.substr(at).starts_with("<!--")) {
      const auto end = head.find("-->", at + 2);
      if (end == head.npos) return {};
      at = end;
      continue;
    }
    if (!web::starts_ignoring_case(head.substr(at), "<meta")) continue;
    const auto tag = head.substr(at, head.find('>', at) - at);
    const std::string charset = charset_after_key(tag);
    if (charset.empty()) continue;
    return without_utf16(charset);
  }
  return {};
}

class Converter {
 public:
  explicit Converter(const char* from) : handle_(::iconv_open("UTF-8", from)) {
    if (handle_ == iconv_t(-1))  // NOLINT(performance-no-int-to-ptr): what iconv says
      throw std::runtime_error(std::string("iconv does not know ") + from);
  }
  ~Converter() { ::iconv_close(handle_); }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  std::string convert(std::string_view bytes) {
    std::string result;
    result.reserve(bytes.size() + bytes.size() / 8);
    std::array<char, 16 * 1024> chunk;
    char* in = const_cast<char*>(bytes.data());
    std::size_t in_left = bytes.size();
    while (in_left > 0) {
      char* out = chunk.data();
      std::size_t out_left = chunk.size();
      const auto done = ::iconv(handle_, &in, &in_left, &out, &out_left);
      const int cause = errno;
      result.append(chunk.data(), out);
      if (done != std::size_t(-1) || cause == E2BIG) continue;
      result += replacement_character;
      ++in;
      --in_left;
    }
    return result;
  }

 private:
  iconv_t handle_;
};

}  // namespace

std::string find_charset(std::string_view bytes, std::string_view content_type) {
  if (bytes.starts_with("\xEF\xBB\xBF")) return "UTF-8";
  if (bytes.starts_with("\xFF\xFE")) return "UTF-16LE";
  if (bytes.starts_with("\xFE\xFF")) return "UTF-16BE";
  if (auto charset = charset_after_key(content_type); !charset.empty()) return charset;
  if (auto charset = charset_of_meta(bytes.substr(0, prescan_bytes)); !charset.empty()) return charset;
  if (auto charset = charset_of_xml(bytes.substr(0, prescan_bytes)); !charset.empty()) return charset;
  return guess_charset(bytes);
}

std::string to_utf8(std::string_view bytes, const std::string& charset) {
  if (charset == "UTF-8") {
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    if (web::is_utf8(bytes)) return std::string(bytes);
  } else if (charset.starts_with("UTF-16") && (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))) {
    bytes.remove_prefix(2);
  }
  std::string text = Converter(charset.c_str()).convert(bytes);
  // glibc's UTF-8 accepts more than RFC 3629 does.
  if (web::is_utf8(text)) return text;
  std::string valid;
  valid.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const auto point = web::decode_utf8(rest);
    valid += point.length ? rest.substr(0, point.length) : replacement_character;
    rest.remove_prefix(std::max<std::size_t>(point.length, 1));
  }
  return valid;
}

}  // namespace summarizer
