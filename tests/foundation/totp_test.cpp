#include "appliance/foundation/crypto/totp.h"

#include <gtest/gtest.h>

namespace totp_test {

const std::string secret = "12345678901234567890";  // of RFC 6238, appendix B

TEST(Totp, CodesAreThoseOfTheStandard) {
  const auto at = [](std::int64_t seconds) { return crypto::totp(secret, seconds / 30); };
  EXPECT_EQ(at(59), "287082");
  EXPECT_EQ(at(1111111109), "081804");
  EXPECT_EQ(at(1111111111), "050471");
  EXPECT_EQ(at(1234567890), "005924");
  EXPECT_EQ(at(2000000000), "279037");
  EXPECT_EQ(at(20000000000), "353130");
}

TEST(Totp, OneStepToEachSideIsAcceptedAndNoneTwice) {
  for (std::int64_t step : {99, 100, 101})
    EXPECT_EQ(crypto::totp_step_of(secret, crypto::totp(secret, step), 100, 0), step);
  for (std::int64_t step : {97, 98, 102, 103})
    EXPECT_FALSE(crypto::totp_step_of(secret, crypto::totp(secret, step), 100, 0));
  EXPECT_FALSE(crypto::totp_step_of(secret, crypto::totp(secret, 100), 100, 100));
  EXPECT_FALSE(crypto::totp_step_of(secret, crypto::totp(secret, 99), 100, 100));
  for (const std::string_view wrong : {"", "28708", "2870820", "abcdef"})
    EXPECT_FALSE(crypto::totp_step_of(secret, wrong, 1, 0)) << wrong;
}

TEST(Totp, SecretsAreTypedInBase32) {
  EXPECT_EQ(crypto::to_base32(""), "");
  EXPECT_EQ(crypto::to_base32("f"), "MY");
  EXPECT_EQ(crypto::to_base32("foobar"), "MZXW6YTBOI");
  EXPECT_EQ(crypto::to_base32(secret), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
}

}  // namespace totp_test
