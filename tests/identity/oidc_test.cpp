// ID tokens: the allowed clock skew, and how long keys are cached.
#include <gtest/gtest.h>

#include "appliance/identity/oidc/id_token.h"
#include "appliance/identity/oidc/key_cache.h"
#include "tests/support/scripted_server.h"
#include "tests/support/token_issuer.h"

namespace oidc_test {

using namespace std::chrono_literals;
using token_tests::SigningKey;

const store::Time now{std::chrono::sys_days(std::chrono::year(2026) / 11 / 21)};

std::int64_t seconds(std::chrono::seconds from_now) {
  return std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch() + from_now).count();
}

// Why a token with these times is refused; empty if it is accepted.
std::string refusal(std::chrono::seconds issued, std::chrono::seconds expires,
                    std::optional<std::chrono::seconds> begins = {}) {
  static const auto key = SigningKey::ec("k1");
  boost::json::object claims{{"iss", "https://id.example.org"},
                             {"aud", "the-box"},
                             {"sub", "ada"},
                             {"iat", seconds(issued)},
                             {"exp", seconds(expires)}};
  if (begins) claims["nbf"] = seconds(*begins);
  const auto token = crypto::UnverifiedJwt::parse(key.token(claims)).value();
  const oidc::Expected expected{.issuer = "https://id.example.org", .client_id = "the-box", .nonce = {}};
  return oidc::refuse_claims(token, expected, now).value_or("");
}

TEST(IdToken, ClocksMayDifferByAMinute) {
  EXPECT_EQ(refusal(0s, 300s), "");
  EXPECT_EQ(refusal(60s, 300s), "") << "the provider's clock is ahead";
  EXPECT_NE(refusal(61s, 300s), "");
  EXPECT_EQ(refusal(-300s, -59s), "") << "the box's clock is ahead";
  EXPECT_NE(refusal(-300s, -60s), "");
  EXPECT_EQ(refusal(0s, 300s, 60s), "");
  EXPECT_NE(refusal(0s, 300s, 61s), "");
}

TEST(IdToken, IsIdentifiedByItsSignedPart) {
  EXPECT_EQ(oidc::signed_part("head.claims.signature"), "head.claims");
  EXPECT_EQ(oidc::signed_part("head.claims.another"), "head.claims");
}

class KeyCache : public testing::Test {
 protected:
  // Whether the provider's key of that token is found.
  bool finds(const SigningKey& key) {
    const auto token = crypto::UnverifiedJwt::parse(key.token(boost::json::object{})).value();
    return test_support::await(cache.key_of(token)).value().has_value();
  }

  std::string published;
  test_support::ScriptedServer provider{
      [this](const test_support::Received&) { return test_support::http(200, published); }};
  std::chrono::steady_clock::time_point time{};
  oidc::KeyCache cache{[this]() -> web::Task<web::Result<std::string>> { co_return provider.url() + "/keys"; },
                       [this] { return time; }};
};

TEST_F(KeyCache, KeysAreFetchedOnceADay) {
  const auto first = SigningKey::ec("first"), second = SigningKey::ec("second");
  published = token_tests::key_set({first.jwk()});
  EXPECT_TRUE(finds(first));
  published = token_tests::key_set({second.jwk()});
  time += 24h - 1ms;
  EXPECT_TRUE(finds(first)) << "revoked by the provider, but still cached";
  EXPECT_EQ(provider.received().size(), 1u);
  time += 1ms;
  EXPECT_FALSE(finds(first));
  EXPECT_TRUE(finds(second));
}

TEST_F(KeyCache, AnUnknownKeyIsFetchedAtMostOnceAMinute) {
  const auto known = SigningKey::ec("known"), unknown = SigningKey::ec("unknown"), late = SigningKey::ec("late");
  published = token_tests::key_set({known.jwk()});
  EXPECT_TRUE(finds(known));
  for (int n = 0; n < 5; ++n) EXPECT_FALSE(finds(unknown));
  EXPECT_EQ(provider.received().size(), 2u);
  published = token_tests::key_set({known.jwk(), late.jwk()});
  time += 59s;
  EXPECT_FALSE(finds(late));
  time += 1s;
  EXPECT_TRUE(finds(late));
  EXPECT_EQ(provider.received().size(), 3u);
}

}  // namespace oidc_test
