#include "appliance/foundation/otlp_headers.h"

#include <algorithm>
#include <cctype>

#include "web/ascii.h"

namespace agentbox {

namespace {

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded.push_back(text[at]);
      continue;
    }
    const int high = at + 2 < text.size() ? web::hex_digit(text[at + 1]) : -1;
    const int low = at + 2 < text.size() ? web::hex_digit(text[at + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    decoded.push_back(static_cast<char>(high * 16 + low));
    at += 2;
  }
  return decoded;
}

bool is_token(std::string_view name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
}

bool is_field_value(std::string_view value) {
  return std::ranges::all_of(value, [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

}  // namespace

std::optional<std::vector<std::pair<std::string, std::string>>> parse_otlp_headers(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> headers;
  while (!text.empty()) {
    const auto pair = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const auto equals = pair.find('=');
    auto name = pair.substr(0, equals);
    while (name.starts_with(' ')) name.remove_prefix(1);
    const auto value = equals == std::string_view::npos ? std::nullopt : percent_decoded(pair.substr(equals + 1));
    if (!is_token(name) || !value || !is_field_value(*value)) return std::nullopt;
    headers.emplace_back(name, *value);
  }
  return headers;
}

}  // namespace agentbox
