#include "appliance/identity/wallet_sign_in/nonces.h"

#include <charconv>

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"

namespace wallet_sign_in {

namespace {

constexpr std::size_t time_digits = 12, random_digits = 20, mac_digits = 32;
constexpr std::size_t signed_digits = time_digits + random_digits;

}  // namespace

std::string Nonces::mac(std::string_view text) const {
  return crypto::hex(crypto::hmac_sha256(key_, text)).substr(0, mac_digits);
}

std::string Nonces::issue(store::Time now) const {
  std::string bytes(time_digits / 2, '\0');
  auto count = static_cast<std::uint64_t>(now.time_since_epoch().count());
  for (std::size_t i = bytes.size(); i-- > 0; count >>= 8) bytes[i] = static_cast<char>(count);
  const std::string text = crypto::hex(bytes) + crypto::random_hex(random_digits / 2);
  return text + mac(text);
}

std::optional<store::Time> Nonces::valid_until(std::string_view nonce, store::Time now) const {
  if (nonce.size() != signed_digits + mac_digits) return std::nullopt;
  if (!crypto::constant_time_equal(nonce.substr(signed_digits), mac(nonce.substr(0, signed_digits))))
    return std::nullopt;
  std::int64_t count = 0;
  std::from_chars(nonce.data(), nonce.data() + time_digits, count, 16);
  const auto until = store::Time(store::Time::duration(count)) + nonce_lifetime;
  return until > now ? std::optional(until) : std::nullopt;
}

web::Task<bool> Nonces::use(std::string nonce, store::Time now) {
  const auto until = valid_until(nonce, now);
  if (!until) co_return false;
  co_return co_await replay_guard_.use("nonce", std::move(nonce), *until);
}

}  // namespace wallet_sign_in
