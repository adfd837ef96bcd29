#include "appliance/foundation/crypto/base64.h"

#include <algorithm>

#include "appliance/foundation/crypto/base64url.h"

namespace crypto {

namespace {

constexpr std::size_t base64_group = 4;

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text = to_base64url(bytes);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.resize((text.size() + base64_group - 1) / base64_group * base64_group, '=');
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % base64_group != 0 || text.find_first_of("-_") != std::string_view::npos) return std::nullopt;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  std::string url_form(text);
  std::ranges::replace(url_form, '+', '-');
  std::ranges::replace(url_form, '/', '_');
  return from_base64url(url_form);
}

}  // namespace crypto
