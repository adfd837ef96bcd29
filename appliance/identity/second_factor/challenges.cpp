#include "appliance/identity/second_factor/challenges.h"

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"

namespace second_factor {

namespace {

constexpr std::size_t time_bytes = 6, random_bytes = 10, mac_bytes = 16;
constexpr std::size_t signed_bytes = time_bytes + random_bytes;
constexpr std::string_view used_as = "passkey";

}  // namespace

std::string Challenges::mac(std::string_view signed_part, Purpose purpose, store::UserId user) const {
  const std::string text =
      std::to_string(static_cast<int>(purpose)) + ":" + std::to_string(user) + ":" + std::string(signed_part);
  return crypto::hmac_sha256(key_, text).substr(0, mac_bytes);
}

std::string Challenges::issue(Purpose purpose, store::UserId user, store::Time now) const {
  std::string bytes(time_bytes, '\0');
  auto count = static_cast<std::uint64_t>(now.time_since_epoch().count());
  for (std::size_t i = bytes.size(); i-- > 0; count >>= 8) bytes[i] = static_cast<char>(count);
  bytes += crypto::random_bytes(random_bytes);
  return bytes + mac(bytes, purpose, user);
}

std::optional<store::Time> Challenges::valid_until(std::string_view challenge, Purpose purpose, store::UserId user,
                                                   store::Time now) const {
  if (challenge.size() != signed_bytes + mac_bytes) return std::nullopt;
  if (!crypto::constant_time_equal(challenge.substr(signed_bytes),
                                   mac(challenge.substr(0, signed_bytes), purpose, user)))
    return std::nullopt;
  std::int64_t count = 0;
  for (const char byte : challenge.substr(0, time_bytes)) count = count << 8 | static_cast<unsigned char>(byte);
  const auto until = store::Time(store::Time::duration(count)) + challenge_lifetime;
  return until > now ? std::optional(until) : std::nullopt;
}

web::Task<bool> Challenges::use(std::string challenge, Purpose purpose, store::UserId user, store::Time now) {
  const auto until = valid_until(challenge, purpose, user, now);
  if (!until) co_return false;
  co_return co_await replay_guard_.use(std::string(used_as), std::move(challenge), *until);
}

bool Challenges::is_used(std::string_view challenge) const { return replay_guard_.is_used(used_as, challenge); }

}  // namespace second_factor
