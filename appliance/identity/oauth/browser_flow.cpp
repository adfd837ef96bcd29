#include "appliance/identity/oauth/browser_flow.h"

#include <charconv>

#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"

namespace oauth {

namespace {

constexpr std::size_t time_digits = 12, random_digits = 20, mac_digits = 32;
constexpr std::size_t secret_characters = 43;

std::string time_text(store::Time now) {
  std::string bytes(time_digits / 2, '\0');
  auto count = static_cast<std::uint64_t>(now.time_since_epoch().count());
  for (std::size_t i = bytes.size(); i-- > 0; count >>= 8) bytes[i] = static_cast<char>(count);
  return crypto::hex(bytes);
}

std::optional<std::string> secret_of(const Browser& browser) {
  if (browser.cookie.size() != secret_characters) return std::nullopt;
  return browser.cookie;
}

}  // namespace

std::string BrowserFlow::mac(std::string_view purpose, std::string_view secret, std::string_view text) const {
  std::string message = name_;
  for (const auto part : {purpose, secret, text}) message.append("\n").append(part);
  return crypto::hmac_sha256(key_, message);
}

BrowserFlow::AuthorizationRequest BrowserFlow::begin(const Browser& browser, store::Time now) const {
  const std::string secret = secret_of(browser).value_or(crypto::random_token(32));
  std::string state = time_text(now) + crypto::random_hex(random_digits / 2);
  state += crypto::hex(mac("state", secret, state)).substr(0, mac_digits);
  const std::string verifier = crypto::to_base64url(mac("verifier", secret, state));
  return {.cookie = {.name = name_, .value = secret, .max_age = request_lifetime, .secure = browser.is_secure},
          .state = state,
          .nonce = crypto::to_base64url(mac("nonce", secret, state)),
          .code_challenge = crypto::to_base64url(crypto::sha256(verifier))};
}

web::Task<std::optional<BrowserFlow::VerifiedCallback>> BrowserFlow::finish(Browser browser, std::string state,
                                                                            store::Time now) {
  const auto secret = secret_of(browser);
  if (!secret || state.size() != time_digits + random_digits + mac_digits) co_return std::nullopt;
  const std::string text = state.substr(0, time_digits + random_digits);
  const std::string expected = crypto::hex(mac("state", *secret, text)).substr(0, mac_digits);
  if (!crypto::constant_time_equal(state.substr(text.size()), expected)) co_return std::nullopt;
  std::int64_t count = 0;
  std::from_chars(state.data(), state.data() + time_digits, count, 16);
  const auto until = store::Time(store::Time::duration(count)) + request_lifetime;
  if (until <= now) co_return std::nullopt;
  const bool is_first = co_await replay_guard_.use("oauth", state, until);
  if (!is_first) co_return std::nullopt;
  co_return VerifiedCallback{.nonce = crypto::to_base64url(mac("nonce", *secret, state)),
                             .code_verifier = crypto::to_base64url(mac("verifier", *secret, state))};
}

}  // namespace oauth
