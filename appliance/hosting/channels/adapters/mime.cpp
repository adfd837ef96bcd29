#include "appliance/hosting/channels/adapters/mime.h"

#include <algorithm>
#include <array>
#include <optional>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/email.h"
#include "appliance/hosting/channels/adapters/html_text.h"
#include "appliance/hosting/channels/markup.h"
#include "summarizer/charset.h"
#include "summarizer/charset_labels.h"
#include "web/ascii.h"
#include "web/markup.h"
#include "web/utf8.h"

namespace channels {

namespace {

constexpr int max_part_depth = 8;
constexpr std::size_t max_parts = 100, max_fields = 500, max_mail_text = 1u << 20;

std::string utf8_of(std::string_view bytes, std::string_view label) {
  const auto charset = summarizer::charset_of_label(label);
  return summarizer::to_utf8(bytes, charset.empty() ? std::string("UTF-8") : charset);
}

// Takes the fields at the start; the body remains.
MailHeaders take_headers(std::string_view& bytes) {
  MailHeaders headers;
  while (!bytes.empty()) {
    auto line = web::first_line(bytes);
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;
    if (line.front() == ' ' || line.front() == '\t') {
      if (!headers.fields.empty()) headers.fields.back().second.append(" ").append(web::trim(line));
      continue;
    }
    const auto colon = line.find(':');
    if (colon == line.npos || headers.fields.size() >= max_fields) continue;
    headers.fields.emplace_back(web::lower_case(web::trim(line.substr(0, colon))), web::trim(line.substr(colon + 1)));
  }
  return headers;
}

// "text/plain; charset=utf-8; name*=utf-8''a%20b": the first word in lower case, and parameters.
struct FieldValue {
  std::string word;
  std::vector<std::pair<std::string, std::string>> parameters;  // names in lower case

  // Also in the forms of RFC 2231: name*, name*0*, name*1.
  std::string parameter(std::string_view name) const {
    std::string joined;
    bool is_coded = false;
    for (const auto& [key, value] : parameters) {
      if (key == name) return decode_words(value);
      const bool is_extended = key.size() > name.size() && key.starts_with(name) && key[name.size()] == '*';
      if (!is_extended) continue;
      is_coded = is_coded || key.ends_with('*');
      joined += key.ends_with('*') ? percent_decoded(value) : value;
    }
    if (!is_coded) return joined;
    const auto charset = joined.find('\''), language = joined.find('\'', charset + 1);
    if (charset == joined.npos || language == joined.npos) return utf8_of(joined, "utf-8");
    return utf8_of(std::string_view(joined).substr(language + 1), joined.substr(0, charset));
  }
};

FieldValue field_value(std::string_view text) {
  FieldValue value;
  const auto end = text.find(';');
  value.word = web::lower_case(web::trim(text.substr(0, end)));
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  while (!text.empty()) {
    const auto equals = text.find('=');
    if (equals == text.npos) break;
    auto name = web::lower_case(web::trim(text.substr(0, equals)));
    text = web::trim(text.substr(equals + 1));
    std::string content;
    if (text.starts_with('"')) {
      std::size_t at = 1;
      for (; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
        content += text[at];
      }
      text.remove_prefix(std::min(at + 1, text.size()));
    } else {
      content = web::trim(text.substr(0, text.find(';')));
    }
    const auto next = text.find(';');
    text.remove_prefix(next == text.npos ? text.size() : next + 1);
    value.parameters.emplace_back(std::move(name), std::move(content));
  }
  return value;
}

std::string from_quoted_printable(std::string_view text, bool is_word) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_word && c == '_') {
      decoded += ' ';
    } else if (c != '=') {
      decoded += c;
    } else if (at + 2 < text.size() && web::hex_digit(text[at + 1]) >= 0 && web::hex_digit(text[at + 2]) >= 0) {
      decoded += static_cast<char>(web::hex_digit(text[at + 1]) * 16 + web::hex_digit(text[at + 2]));
      at += 2;
    } else if (at + 2 < text.size() && text[at + 1] == '\r' && text[at + 2] == '\n') {
      at += 2;
    } else if (at + 1 < text.size() && text[at + 1] == '\n') {
      at += 1;
    }
  }
  return decoded;
}

std::string from_mail_base64(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (web::is_alphanumeric(c) || c == '+' || c == '/') digits += c;
  if (digits.size() % 4 == 1) digits.pop_back();
  while (digits.size() % 4 != 0) digits += '=';
  if (auto decoded = crypto::from_base64(digits)) return std::move(*decoded);
  // Stray bits at the end: the last group is left out.
  digits.resize(digits.size() - std::min<std::size_t>(digits.size(), 4));
  return crypto::from_base64(digits).value_or(std::string());
}

std::string with_line_feeds(std::string_view text) {
  std::string lines;
  for (const char c : text)
    if (c != '\r') lines += c;
  return lines;
}

// Lines that end in a space continue (RFC 3676).
std::string unflowed(std::string_view text) {
  std::string joined;
  while (!text.empty()) {
    auto line = web::first_line(text);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const bool is_signature = line == "-- ";
    if (line.starts_with(' ')) line.remove_prefix(1);
    joined += line;
    if (is_signature || !line.ends_with(' ')) joined += '\n';
  }
  return joined;
}

class MailReader {
 public:
  ReadMail read(std::string_view bytes) {
    mail_.headers = take_headers(bytes);
    read_part(mail_.headers, bytes, std::string(), 0);
    mail_.text = !plain_.empty() ? std::move(plain_) : text_of_html(html_);
    return std::move(mail_);
  }

 private:
  void read_part(const MailHeaders& headers, std::string_view body, const std::string& section, int depth) {
    auto type = field_value(headers.first("content-type"));
    if (type.word.empty()) type.word = "text/plain";
    const auto boundary = type.parameter("boundary");
    if (type.word.starts_with("multipart/") && !boundary.empty() && depth < max_part_depth)
      return read_parts(body, boundary, section, depth);
    const auto disposition = field_value(headers.first("content-disposition"));
    auto name = disposition.parameter("filename");
    if (name.empty()) name = type.parameter("name");
    const bool is_text = type.word == "text/plain" || type.word == "text/html";
    const auto encoding = web::lower_case(headers.first("content-transfer-encoding"));
    const auto number = section.empty() ? std::string("1") : section;
    if (!is_text || disposition.word == "attachment" || !name.empty())
      return add_file(name, type, number, encoding, body);
    auto& text = type.word == "text/html" ? html_ : plain_;
    if (text.size() >= max_mail_text) return;
    auto decoded = with_line_feeds(utf8_of(decode_body(body, encoding), type.parameter("charset")));
    if (web::equal_ignoring_case(type.parameter("format"), "flowed")) decoded = unflowed(decoded);
    if (!text.empty() && !decoded.empty()) text += "\n";
    text += web::utf8_prefix(decoded, max_mail_text);
  }

  void add_file(const std::string& name, const FieldValue& type, const std::string& number, const std::string& encoding,
                std::string_view body) {
    const auto kind = type.word.substr(type.word.find('/') + 1);
    const auto size = encoding == "base64" ? body.size() / 4 * 3 : body.size();
    mail_.attachments.push_back(
        {.name = name.empty() ? "file." + kind : name, .section = number, .encoding = encoding, .size = size});
  }

  void read_parts(std::string_view body, const std::string& boundary, const std::string& section, int depth) {
    const auto delimiter = "--" + boundary;
    std::size_t number = 0;
    std::optional<std::size_t> begin;  // of the part that is being read
    for (std::size_t at = 0; at < body.size() && parts_ < max_parts;) {
      const auto line = web::first_line(body.substr(at));
      const auto next = std::min(at + line.size() + 1, body.size());
      if (line.starts_with(delimiter)) {
        if (begin) read_child(body.substr(*begin, at - *begin), section, ++number, depth);
        begin = next;
        if (line.substr(delimiter.size()).starts_with("--")) return;
      }
      at = next;
    }
    if (begin && parts_ < max_parts) read_child(body.substr(*begin), section, ++number, depth);
  }

  void read_child(std::string_view bytes, const std::string& section, std::size_t number, int depth) {
    ++parts_;
    // The line end before a delimiter belongs to it.
    if (bytes.ends_with('\n')) bytes.remove_suffix(1);
    if (bytes.ends_with('\r')) bytes.remove_suffix(1);
    const auto headers = take_headers(bytes);
    read_part(headers, bytes, (section.empty() ? "" : section + ".") + std::to_string(number), depth + 1);
  }

  ReadMail mail_;
  std::string plain_, html_;
  std::size_t parts_ = 0;
};

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string without_controls(std::string_view text) {
  std::string line(text);
  std::erase_if(line, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
  return line;
}

// An encoded word holds 45 bytes at most.
std::string header_text(std::string_view text) {
  const auto line = without_controls(text);
  if (is_ascii(line)) return line;
  std::string words;
  for (auto rest = std::string_view(line); !rest.empty();) {
    constexpr std::size_t longest = 42;
    auto piece = web::utf8_prefix(rest, longest);
    if (piece.empty()) piece = rest.substr(0, longest);
    words += (words.empty() ? "=?utf-8?B?" : "\r\n =?utf-8?B?") + crypto::to_base64(piece) + "?=";
    rest.remove_prefix(piece.size());
  }
  return words;
}

std::string to_quoted_printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::size_t longest = 72;
  std::string encoded;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\r') continue;
    if (c == '\n') {
      encoded += "\r\n";
      column = 0;
      continue;
    }
    const bool is_end = at + 1 == text.size() || text[at + 1] == '\n';
    const bool is_plain = (c > ' ' && c <= '~' && c != '=' && !(c == '.' && column == 0)) || (c == ' ' && !is_end);
    if (column >= longest) {
      encoded += "=\r\n";
      column = 0;
    }
    if (is_plain) {
      encoded += c;
      ++column;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += '=';
      encoded += digits[byte >> 4];
      encoded += digits[byte & 15];
      column += 3;
    }
  }
  return encoded;
}

std::string base64_lines(std::string_view bytes) {
  constexpr std::size_t line = 76;
  const auto digits = crypto::to_base64(bytes);
  std::string lines;
  lines.reserve(digits.size() + digits.size() / line * 2 + 2);
  for (std::size_t at = 0; at < digits.size(); at += line)
    lines.append(std::string_view(digits).substr(at, line)).append("\r\n");
  return lines;
}

// Both forms of a name, for readers that do not know RFC 2231.
std::string file_parameters(const std::string& name) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string plain, coded;
  for (const char c : without_controls(name)) {
    const bool is_plain = web::is_alphanumeric(c) || c == '.' || c == '-' || c == '_';
    plain += is_plain || c == ' ' ? c : '_';
    if (is_plain) {
      coded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      coded += '%';
      coded += digits[byte >> 4];
      coded += digits[byte & 15];
    }
  }
  return "filename=\"" + plain + "\";\r\n filename*=utf-8''" + coded;
}

}  // namespace

std::string MailHeaders::first(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, [](const auto& field) { return std::string_view(field.first); });
  return found == fields.end() ? std::string() : found->second;
}

std::vector<std::string_view> MailHeaders::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [field, value] : fields)
    if (field == name) values.push_back(value);
  return values;
}

ReadMail read_mail(std::string_view bytes) { return MailReader().read(bytes); }

std::string decode_body(std::string_view body, std::string_view encoding) {
  encoding = web::trim(encoding);
  if (web::equal_ignoring_case(encoding, "base64")) return from_mail_base64(body);
  if (web::equal_ignoring_case(encoding, "quoted-printable")) return from_quoted_printable(body, false);
  return std::string(body);
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_code = text[at] == '%' && at + 2 < text.size() && web::hex_digit(text[at + 1]) >= 0 &&
                         web::hex_digit(text[at + 2]) >= 0;
    decoded += is_code ? static_cast<char>(web::hex_digit(text[at + 1]) * 16 + web::hex_digit(text[at + 2])) : text[at];
    if (is_code) at += 2;
  }
  return decoded;
}

std::string decode_words(std::string_view text) {
  std::string decoded;
  bool was_word = false;
  while (!text.empty()) {
    const auto begin = text.find("=?");
    const auto charset = begin == text.npos ? text.npos : text.find('?', begin + 2);
    const auto kind = charset == text.npos ? text.npos : text.find('?', charset + 1);
    const auto end = kind == text.npos ? text.npos : text.find("?=", kind + 1);
    if (end == text.npos) break;
    const auto between = text.substr(0, begin);
    // White space between two words is not part of the text.
    if (!was_word || !web::trim(between, web::white_space).empty()) decoded += between;
    const auto label = text.substr(begin + 2, charset - begin - 2);
    const auto content = text.substr(kind + 1, end - kind - 1);
    const bool is_base64 = web::equal_ignoring_case(text.substr(charset + 1, kind - charset - 1), "B");
    decoded += utf8_of(is_base64 ? from_mail_base64(content) : from_quoted_printable(content, true),
                       label.substr(0, label.find('*')));
    was_word = true;
    text.remove_prefix(end + 2);
  }
  decoded += text;
  return web::is_utf8(decoded) ? decoded : utf8_of(decoded, "utf-8");
}

std::string without_quote(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto line = web::first_line(text);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line == "-- " || line == "--") break;
    lines.push_back(line);
  }
  const auto is_blank = [](std::string_view line) { return web::trim(line, web::white_space).empty(); };
  bool has_quote = false;
  while (!lines.empty() && (is_blank(lines.back()) || lines.back().starts_with('>'))) {
    has_quote = has_quote || lines.back().starts_with('>');
    lines.pop_back();
  }
  // "On Monday, Scout wrote:", perhaps in two lines.
  constexpr std::size_t attribution_lines = 3;
  if (has_quote && !lines.empty() && web::trim(lines.back(), web::white_space).ends_with(':')) {
    for (std::size_t i = 0; i < attribution_lines && !lines.empty() && !is_blank(lines.back()); ++i) lines.pop_back();
  }
  while (!lines.empty() && is_blank(lines.back())) lines.pop_back();
  return web::join(lines, "\n");
}

MailAddress mail_address(std::string_view field) {
  MailAddress found;
  std::string name;
  std::string_view address;
  bool is_quoted = false;
  for (std::size_t at = 0; at < field.size(); ++at) {
    const char c = field[at];
    if (is_quoted && c == '\\' && at + 1 < field.size()) {
      name += field[++at];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && c == '<') {
      address = field.substr(at + 1, field.find('>', at) - at - 1);
      break;
    } else if (!is_quoted && c == ',') {
      break;
    } else {
      name += c;
    }
  }
  if (address.empty()) address = name;
  found.address = agentbox::normalised_email(web::trim(address, web::white_space)).value_or(std::string());
  found.name = decode_words(web::trim(name, web::white_space));
  return found;
}

std::string write_mail(const NewMail& mail) {
  std::string text = "Date: " + mail.date + "\r\nFrom: ";
  if (mail.from_name.empty())
    text += mail.from;
  else if (is_ascii(mail.from_name)) {
    auto name = without_controls(mail.from_name);
    std::erase_if(name, [](char c) { return c == '"' || c == '\\'; });
    text += "\"" + name + "\" <" + mail.from + ">";
  } else
    text += header_text(mail.from_name) + " <" + mail.from + ">";
  text += "\r\nTo: " + mail.to + "\r\nSubject: " + header_text(mail.subject) + "\r\nMessage-ID: <" + mail.id + ">\r\n";
  if (!mail.references.empty()) {
    text += "In-Reply-To: " + without_controls(mail.references.back()) + "\r\nReferences:";
    for (const auto& reference : mail.references) text += "\r\n " + without_controls(reference);
    text += "\r\n";
  }
  text += mail.references.empty() ? "Auto-Submitted: auto-generated\r\n" : "Auto-Submitted: auto-replied\r\n";
  text += "X-Auto-Response-Suppress: All\r\nMIME-Version: 1.0\r\n";
  const auto boundary = "agentbox-" + crypto::random_hex(16);
  const auto part = "--" + boundary + "\r\n";
  if (!mail.file_name.empty()) {
    text += "Content-Type: multipart/mixed; boundary=\"" + boundary + "\"\r\n\r\n" + part;
    text += "Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n";
    text += "Content-Disposition: attachment; " + file_parameters(mail.file_name) + "\r\n\r\n";
    return text + base64_lines(mail.content) + "--" + boundary + "--\r\n";
  }
  text += "Content-Type: multipart/alternative; boundary=\"" + boundary + "\"\r\n\r\n" + part;
  text += "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n";
  text += to_quoted_printable(render(mail.text, Format::plain)) + "\r\n" + part;
  text += "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n";
  text += to_quoted_printable("<!DOCTYPE html>\n<html><body>\n" + render(mail.text, Format::matrix_html) +
                              "\n</body></html>");
  return text + "\r\n--" + boundary + "--\r\n";
}

}  // namespace channels
