#include "summarizer/charset.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "web/ascii.h"
#include "web/utf8.h"

namespace summarizer {
namespace {

constexpr std::size_t prescan_bytes = 1024;
constexpr std::string_view replacement = "\xEF\xBF\xBD";

// Labels of the WHATWG encoding standard that pages use, and iconv's name for what browsers decode them as. Only these
// reach iconv_open: it loads code by name.
constexpr std::array<std::pair<std::string_view, const char*>, 64> labels{{
    {"utf-8", "UTF-8"},
    {"utf8", "UTF-8"},
    {"unicode-1-1-utf-8", "UTF-8"},
    {"utf-16", "UTF-16LE"},
    {"utf-16le", "UTF-16LE"},
    {"utf-16be", "UTF-16BE"},
    {"us-ascii", "CP1252"},
    {"ascii", "CP1252"},
    {"iso-8859-1", "CP1252"},
    {"iso8859-1", "CP1252"},
    {"iso_8859-1", "CP1252"},
    {"latin1", "CP1252"},
    {"l1", "CP1252"},
    {"windows-1252", "CP1252"},
    {"cp1252", "CP1252"},
    {"x-cp1252", "CP1252"},
    {"iso-8859-2", "ISO-8859-2"},
    {"latin2", "ISO-8859-2"},
    {"iso-8859-3", "ISO-8859-3"},
    {"iso-8859-4", "ISO-8859-4"},
    {"iso-8859-5", "ISO-8859-5"},
    {"iso-8859-6", "ISO-8859-6"},
    {"iso-8859-7", "ISO-8859-7"},
    {"iso-8859-8", "ISO-8859-8"},
    {"iso-8859-8-i", "ISO-8859-8"},
    {"iso-8859-9", "CP1254"},
    {"latin5", "CP1254"},
    {"windows-1254", "CP1254"},
    {"iso-8859-10", "ISO-8859-10"},
    {"iso-8859-13", "ISO-8859-13"},
    {"iso-8859-14", "ISO-8859-14"},
    {"iso-8859-15", "ISO-8859-15"},
    {"iso-8859-16", "ISO-8859-16"},
    {"windows-874", "CP874"},
    {"tis-620", "CP874"},
    {"iso-8859-11", "CP874"},
    {"windows-1250", "CP1250"},
    {"windows-1251", "CP1251"},
    {"cp1251", "CP1251"},
    {"windows-1253", "CP1253"},
    {"windows-1255", "CP1255"},
    {"windows-1256", "CP1256"},
    {"windows-1257", "CP1257"},
    {"windows-1258", "CP1258"},
    {"koi8-r", "KOI8-R"},
    {"koi8-u", "KOI8-U"},
    {"ibm866", "CP866"},
    {"cp866", "CP866"},
    {"macintosh", "MACINTOSH"},
    {"gb2312", "GB18030"},
    {"gbk", "GB18030"},
    {"gb18030", "GB18030"},
    {"x-gbk", "GB18030"},
    {"big5", "BIG5-HKSCS"},
    {"big5-hkscs", "BIG5-HKSCS"},
    {"euc-jp", "EUC-JP"},
    {"x-euc-jp", "EUC-JP"},
    {"iso-2022-jp", "ISO-2022-JP"},
    {"shift_jis", "CP932"},
    {"shift-jis", "CP932"},
    {"sjis", "CP932"},
    {"windows-31j", "CP932"},
    {"euc-kr", "CP949"},
    {"ks_c_5601-1987", "CP949"},
}};

// Empty when the label is unknown.
std::string charset_of_label(std::string_view label) {
  const auto known =
      std::ranges::find_if(labels, [label](const auto& entry) { return web::equal_ignoring_case(entry.first, label); });
  return known == labels.end() ? std::string() : known->second;
}

std::size_t find_ignoring_case(std::string_view text, std::string_view what, std::size_t from = 0) {
  for (std::size_t at = from; at + what.size() <= text.size(); ++at) {
    if (web::equal_ignoring_case(text.substr(at, what.size()), what)) return at;
  }
  return text.npos;
}

// The value after "charset=", as it stands in a header or in a <meta> of either form.
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
    // The tag could be read, so these bytes are no UTF-16.
    return charset.starts_with("UTF-16") ? "UTF-8" : charset;
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
      result += replacement;
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
  return web::is_utf8(bytes) ? "UTF-8" : "CP1252";
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
    valid += point.length ? rest.substr(0, point.length) : replacement;
    rest.remove_prefix(std::max<std::size_t>(point.length, 1));
  }
  return valid;
}

}  // namespace summarizer
