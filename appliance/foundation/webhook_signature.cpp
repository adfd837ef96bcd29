#include "appliance/foundation/webhook_signature.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"

namespace webhook_signature {

namespace {

constexpr std::chrono::minutes tolerance{5};
constexpr std::size_t longest_id = 256;
constexpr std::string_view secret_prefix = "whsec_", version = "v1,";

std::string header_of(const web::Request& request, const std::string& name) {
  const auto standard = request.header("Webhook-" + name);
  return std::string(standard.empty() ? request.header("Svix-" + name) : standard);
}

bool is_recent(std::string_view text, store::Time now) {
  std::int64_t seconds = 0;
  const auto* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, seconds);
  // Twelve digits reach beyond the year 30000, so that nothing overflows.
  if (error != std::errc() || at != end || text.size() > 12) return false;
  const auto difference = now - store::Time(std::chrono::seconds(seconds));
  return difference <= tolerance && difference >= -tolerance;
}

}  // namespace

web::Result<Signature> signature_of(const web::Request& request, store::Time now) {
  Signature signature{.id = header_of(request, "Id"),
                      .timestamp = header_of(request, "Timestamp"),
                      .signatures = header_of(request, "Signature")};
  if (signature.id.empty() || signature.timestamp.empty() || signature.signatures.empty())
    return web::unauthenticated("The webhook is not signed");
  if (signature.id.size() > longest_id || !is_recent(signature.timestamp, now))
    return web::unauthenticated("The webhook's time is not within five minutes of the box's");
  return signature;
}

std::string signing_key(std::string_view secret) {
  if (!secret.starts_with(secret_prefix)) return std::string(secret);
  return crypto::from_base64(secret.substr(secret_prefix.size())).value_or("");
}

bool is_signed(const Signature& signature, std::string_view body, std::string_view key) {
  if (key.empty()) return false;
  std::string text = signature.id + "." + signature.timestamp + ".";
  text.append(body);
  const auto expected = crypto::hmac_sha256(key, text);
  // Several signatures, separated by spaces, while the sender replaces its secret.
  std::string_view rest = signature.signatures;
  while (!rest.empty()) {
    const auto one = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    if (!one.starts_with(version)) continue;
    const auto given = crypto::from_base64(one.substr(version.size()));
    if (given && crypto::constant_time_equal(*given, expected)) return true;
  }
  return false;
}

std::string sign(const std::vector<std::string>& keys, std::string_view id, std::int64_t timestamp,
                 std::string_view body) {
  const auto text = std::string(id).append(".").append(std::to_string(timestamp)).append(".").append(body);
  std::string signature;
  for (const auto& key : keys)
    signature.append(signature.empty() ? "v1," : " v1,").append(crypto::to_base64(crypto::hmac_sha256(key, text)));
  return signature;
}

}  // namespace webhook_signature
