#include "appliance/foundation/email.h"

#include <algorithm>

#include "web/ascii.h"

namespace agentbox {

namespace {

// RFC 5322's dot-atom: Quoted local parts are not accepted.
bool is_local_part(std::string_view local) {
  static constexpr std::string_view marks = "!#$%&'*+-/=?^_`{|}~.";
  if (local.empty() || local.size() > 64 || local.front() == '.' || local.back() == '.') return false;
  if (local.find("..") != std::string_view::npos) return false;
  return std::ranges::all_of(local,
                             [](char c) { return web::is_alphanumeric(c) || marks.find(c) != std::string_view::npos; });
}

bool is_label(std::string_view label) {
  if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
  return std::ranges::all_of(label, [](char c) { return web::is_alphanumeric(c) || c == '-'; });
}

bool is_domain(std::string_view domain) {
  int labels = 0;
  for (;;) {
    const auto dot = domain.find('.');
    if (!is_label(domain.substr(0, dot))) return false;
    ++labels;
    if (dot == std::string_view::npos) return labels >= 2;
    domain.remove_prefix(dot + 1);
  }
}

}  // namespace

std::optional<std::string> normalised_email(std::string_view text) {
  if (text.size() > 254) return std::nullopt;
  const auto email = web::lower_case(text);
  const auto at = email.find('@');
  if (at == std::string::npos) return std::nullopt;
  const std::string_view whole = email;
  if (!is_local_part(whole.substr(0, at)) || !is_domain(whole.substr(at + 1))) return std::nullopt;
  return email;
}

bool is_reserved_email(std::string_view normalised) { return normalised.ends_with("@wallet.app"); }

}  // namespace agentbox
