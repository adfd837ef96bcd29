#include "appliance/media/stream_webhooks/signature.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"
#include "web/ascii.h"

namespace stream_webhooks {

namespace {

constexpr std::string_view names[] = {"stream-signature", "mux-signature"};
constexpr std::size_t max_signatures = 5, signature_digits = 64;
constexpr std::int64_t latest_time = 253'402'300'799;  // the end of the year 9999

struct Parsed {
  std::string_view time_text;  // as it was signed
  std::chrono::sys_seconds time;
  std::vector<std::string_view> signatures;
};

std::optional<std::chrono::sys_seconds> time_of(std::string_view text) {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && text.front() != '-';
  if (!is_number || seconds > latest_time) return std::nullopt;
  return std::chrono::sys_seconds(std::chrono::seconds(seconds));
}

bool is_signature(std::string_view text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == signature_digits && std::ranges::all_of(text, is_digit);
}

// Schemes other than v1 are ignored, as the provider's own library does.
std::optional<Parsed> parse_signature_header(std::string_view header) {
  Parsed parsed;
  for (bool is_last = false; !is_last;) {
    const auto comma = header.find(',');
    const auto item = header.substr(0, comma);
    is_last = comma == std::string_view::npos;
    if (!is_last) header.remove_prefix(comma + 1);
    const auto equals = item.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const auto name = item.substr(0, equals), value = item.substr(equals + 1);
    if (name == "t") {
      const auto time = value.empty() ? std::nullopt : time_of(value);
      if (!time || !parsed.time_text.empty()) return std::nullopt;
      parsed.time_text = value;
      parsed.time = *time;
    } else if (name == "v1") {
      if (!is_signature(value) || parsed.signatures.size() == max_signatures) return std::nullopt;
      parsed.signatures.push_back(value);
    }
  }
  if (parsed.time_text.empty() || parsed.signatures.empty()) return std::nullopt;
  return parsed;
}

// Of the first of the names that the request has.
std::vector<std::string_view> values(const web::Request& request) {
  std::vector<std::string_view> found;
  for (const auto name : names) {
    for (const auto& header : request.headers)
      if (web::equal_ignoring_case(header.name, name)) found.push_back(header.value);
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace

web::Result<void> verify(const web::Request& request, std::string_view secret, store::Time now) {
  const auto headers = values(request);
  if (headers.empty()) return web::unauthenticated("The header stream-signature is missing");
  const auto parsed = headers.size() == 1 ? parse_signature_header(headers.front()) : std::nullopt;
  if (!parsed) return web::forbidden("The header stream-signature must be t=<timestamp>,v1=<signature>");
  if (std::chrono::abs(now - parsed->time) > tolerance)
    return web::forbidden("The signature's timestamp is more than five minutes away");
  if (secret.empty())
    return web::forbidden("This box has no secret to verify signatures with: set STREAM_SIGNING_SECRET");
  std::string text(parsed->time_text);
  text.append(".").append(request.body);
  const std::string expected = crypto::hex(crypto::hmac_sha256(secret, text));
  bool is_right = false;
  for (const auto signature : parsed->signatures) is_right |= crypto::constant_time_equal(signature, expected);
  if (!is_right) return web::forbidden("The signature is wrong");
  return {};
}

}  // namespace stream_webhooks
