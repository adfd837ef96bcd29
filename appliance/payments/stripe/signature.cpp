#include "appliance/payments/stripe/signature.h"

#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"

namespace payments::stripe {

namespace {

constexpr std::size_t max_signatures = 16;

struct Header {
  std::string_view time_text;
  std::optional<std::int64_t> time;
  std::vector<std::string_view> signatures;  // v1
};

Header parse(std::string_view text) {
  Header header;
  while (!text.empty()) {
    const auto comma = text.find(',');
    auto part = text.substr(0, comma);
    text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (part.starts_with("v1=") && header.signatures.size() < max_signatures)
      header.signatures.push_back(part.substr(3));
    if (!part.starts_with("t=")) continue;
    header.time_text = part.substr(2);
    std::int64_t time = 0;
    const auto* const end = header.time_text.data() + header.time_text.size();
    const auto [stopped, error] = std::from_chars(header.time_text.data(), end, time);
    header.time = error == std::errc() && stopped == end && time >= 0 ? std::optional(time) : std::nullopt;
  }
  return header;
}

}  // namespace

web::Result<void> verify_signature(std::string_view text, std::string_view body, std::string_view secret,
                                   std::chrono::sys_seconds now) {
  const auto header = parse(text);
  if (!header.time || header.signatures.empty())
    return web::invalid("Stripe-Signature must have a time t and a signature v1");
  const auto distance = now.time_since_epoch().count() - *header.time;
  std::string signed_text(header.time_text);
  signed_text.append(".").append(body);
  const auto expected = crypto::hex(crypto::hmac_sha256(secret, signed_text));
  bool is_signed = false;
  for (const auto signature : header.signatures)
    is_signed = crypto::constant_time_equal(expected, signature) || is_signed;
  if (!is_signed) return web::invalid("Stripe-Signature does not match the body");
  if (distance > signature_tolerance.count() || distance < -signature_tolerance.count())
    return web::invalid("Stripe-Signature is older than " + std::to_string(signature_tolerance.count()) + " seconds");
  return {};
}

}  // namespace payments::stripe
