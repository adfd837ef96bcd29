// The kinds of settings about host names, addresses and security.txt.
#include <algorithm>
#include <cctype>

#include "appliance/foundation/email.h"
#include "appliance/foundation/settings/setting_types.h"
#include "appliance/foundation/settings/whole_number.h"
#include "appliance/foundation/timestamp.h"
#include "web/ascii.h"

namespace agentbox::setting_types {

namespace {

// A name or an address literal, in lower case, with an optional dot in front.
std::optional<std::string> host_pattern(const std::string& item) {
  const auto host = web::lower_case(item);
  const bool is_literal = host.starts_with('[') && host.ends_with(']');
  const auto name = std::string_view(host).substr(host.starts_with('.') ? 1 : 0);
  const auto is_name_character = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '.' || c == '_'; };
  const auto is_literal_character = [](unsigned char c) { return std::isxdigit(c) || c == ':' || c == '.'; };
  const bool is_valid =
      is_literal
          ? host.size() > 4 && std::ranges::all_of(host.substr(1, host.size() - 2), is_literal_character)
          : !name.empty() && name.front() != '.' && name.back() != '.' && std::ranges::all_of(name, is_name_character);
  return is_valid ? std::optional(host) : std::nullopt;
}

std::optional<std::string> destination(const std::string& item) {
  const auto colon = item.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto port = item.substr(colon + 1);
  if (port != "*" && !whole_number(port, 1, 65'535)) return std::nullopt;
  const auto host = item.substr(0, colon);
  const auto pattern = host == "*" ? std::optional(host) : host_pattern(host);
  return pattern ? std::optional(*pattern + ":" + port) : std::nullopt;
}

std::optional<std::string> origin(const std::string& item) {
  const auto scheme_end = item.find("://");
  if (scheme_end == std::string::npos) return std::nullopt;
  const auto scheme = web::lower_case(item.substr(0, scheme_end)), rest = item.substr(scheme_end + 3);
  if (scheme != "https" && scheme != "http") return std::nullopt;
  const auto colon = rest.ends_with(']') ? std::string::npos : rest.rfind(':');
  const auto host = host_pattern(rest.substr(0, colon));
  if (!host || host->starts_with('.')) return std::nullopt;
  if (colon == std::string::npos) return scheme + "://" + *host;
  const auto port = rest.substr(colon + 1);
  if (!whole_number(port, 1, 65'535)) return std::nullopt;
  // Browsers leave out a scheme's own port.
  const bool is_usual = port == (scheme == "https" ? "443" : "80");
  return scheme + "://" + *host + (is_usual ? "" : ":" + port);
}

bool is_uri_text(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

std::optional<std::string> contact_uri(const std::string& item) {
  if (const auto email = normalised_email(item)) return "mailto:" + *email;
  for (const std::string_view scheme : {"mailto:", "tel:", "https://"})
    if (item.starts_with(scheme) && is_uri_text(std::string_view(item).substr(scheme.size()))) return item;
  return std::nullopt;
}

}  // namespace

Setting hosts(std::string name, std::vector<std::string> Settings::*member, std::string help) {
  return list(std::move(name), member, "host,...", std::move(help), host_pattern,
              "is not a host name or address without a port, such as box.example.org, .example.org or [::1]");
}

Setting destinations(std::string name, std::vector<std::string> Settings::*member, std::string help) {
  return list(std::move(name), member, "host:port,...", std::move(help), destination,
              "is not a host and a port, such as api.example.org:443, .example.org:443 or *:443");
}

Setting origins(std::string name, std::vector<std::string> Settings::*member, std::string help) {
  return list(std::move(name), member, "origin,...", std::move(help), origin,
              "is not an origin, such as https://app.example.org");
}

Setting contacts(std::string name, std::vector<std::string> Settings::*member, std::string help) {
  return list(std::move(name), member, "e-mail or URI,...", std::move(help), contact_uri,
              "is not an e-mail address and does not begin with mailto:, tel: or https://");
}

Setting https_url(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "https URL"), [](const std::string& value) -> Problem {
    constexpr std::string_view scheme = "https://";
    if (value.empty() || (value.starts_with(scheme) && is_uri_text(value.substr(scheme.size())))) return {};
    return "must begin with https:// and hold no spaces";
  });
}

Setting rtmp_url(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "RTMP URL"), [](const std::string& value) -> Problem {
    if (value.empty()) return {};
    for (const std::string_view scheme : {"rtmp://", "rtmps://"})
      if (value.starts_with(scheme) && is_uri_text(value.substr(scheme.size()))) return {};
    return "must begin with rtmp:// or rtmps:// and hold no spaces";
  });
}

Setting language_tags(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "tag,..."), [](const std::string& value) -> Problem {
    const auto is_allowed = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == ',' || c == ' '; };
    if (value.empty() ||
        (std::isalpha(static_cast<unsigned char>(value.front())) && std::ranges::all_of(value, is_allowed)))
      return {};
    return "must be language tags such as en, de";
  });
}

Setting point_in_time(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "time"), [](const std::string& value) -> Problem {
    if (value.empty() || parse_timestamp(value)) return {};
    return "must be a time such as 2027-01-31T12:00:00Z";
  });
}

}  // namespace agentbox::setting_types
