#include "appliance/media/stream_webhooks/signature.h"

#include <gmock/gmock.h>

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"

namespace stream_webhooks {
namespace signature_test {

using namespace std::chrono_literals;
using web::Kind;

constexpr std::string_view secret = "a secret";
const store::Time now{1'700'000'000s};

std::string signed_text(std::string_view time, std::string_view body, std::string_view with = secret) {
  return crypto::hex(crypto::hmac_sha256(with, std::string(time) + "." + std::string(body)));
}

// Empty: it is accepted.
std::optional<Kind> refusal(std::vector<web::Header> headers, std::string_view body = "{}",
                            std::string_view with = secret) {
  web::Request request;
  request.headers = std::move(headers);
  request.body = body;
  const auto verified = verify(request, with, now);
  return verified ? std::nullopt : std::optional(verified.error().kind);
}
std::optional<Kind> refusal(const std::string& value) { return refusal({{"Stream-Signature", value}}); }

const std::string right = signed_text("1700000000", "{}");

TEST(Signature, IsTakenFromEitherHeader) {
  const std::string value = "t=1700000000,v1=" + right;
  EXPECT_EQ(refusal({{"stream-signature", value}}), std::nullopt);
  EXPECT_EQ(refusal({{"Mux-Signature", value}}), std::nullopt);
  EXPECT_EQ(refusal({{"stream-signature", "t=1"}, {"mux-signature", value}}), Kind::forbidden);
}

TEST(Signature, IsMissing) {
  EXPECT_EQ(refusal(std::vector<web::Header>()), Kind::unauthenticated);
  EXPECT_EQ(refusal({web::Header{"signature", "x"}}), Kind::unauthenticated);
}

TEST(Signature, AnySecondHeaderIsRefused) {
  const std::string value = "t=1700000000,v1=" + right;
  EXPECT_EQ(refusal({{"stream-signature", value}, {"Stream-Signature", value}}), Kind::forbidden);
}

TEST(Signature, HasOneForm) {
  EXPECT_EQ(refusal("t=1700000000,v1=" + right + ",v0=ignored"), std::nullopt);
  for (const std::string& value : std::vector<std::string>{
           "", "t", "t=", "t=1700000000", "v1=" + right, "t=1700000000,v1=", "t=1700000000, v1=" + right,
           "t=+1700000000,v1=" + right, "t=-1700000000,v1=" + right, "t=0x6553F100,v1=" + right,
           "t=1700000000,t=1700000000,v1=" + right, "t=1700000000,v1=" + right + "0", "t=1700000000,v1=" + right + ",",
           "t=17000000000000000000000,v1=" + right})
    EXPECT_EQ(refusal(value), Kind::forbidden) << value;
}

TEST(Signature, IsLowerCase) {
  std::string upper = right;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_EQ(refusal("t=1700000000,v1=" + upper), Kind::forbidden);
}

TEST(Signature, OneOfSeveralMayBeRight) {
  const std::string wrong(64, '0');
  EXPECT_EQ(refusal("t=1700000000,v1=" + wrong + ",v1=" + right), std::nullopt);
  EXPECT_EQ(refusal("t=1700000000,v1=" + wrong + ",v1=" + wrong), Kind::forbidden);
  std::string many = "t=1700000000";
  for (int count = 0; count < 5; ++count) many += ",v1=" + wrong;
  EXPECT_EQ(refusal(many + ",v1=" + right), Kind::forbidden);
}

TEST(Signature, IsFiveMinutesOldAtMost) {
  const auto at = [](std::int64_t time) {
    const std::string text = std::to_string(time);
    return refusal("t=" + text + ",v1=" + signed_text(text, "{}"));
  };
  EXPECT_EQ(at(1'700'000'000 - 300), std::nullopt);
  EXPECT_EQ(at(1'700'000'000 + 300), std::nullopt);
  EXPECT_EQ(at(1'700'000'000 - 301), Kind::forbidden);
  EXPECT_EQ(at(1'700'000'000 + 301), Kind::forbidden);
}

TEST(Signature, CoversTheBytesOfTheBody) {
  const std::string value = "t=1700000000,v1=" + right;
  EXPECT_EQ(refusal({{"stream-signature", value}}, "{} "), Kind::forbidden);
}

TEST(Signature, WithoutASecretNothingIsAccepted) {
  const std::string value = "t=1700000000,v1=" + signed_text("1700000000", "{}", "");
  EXPECT_EQ(refusal({{"stream-signature", value}}, "{}", ""), Kind::forbidden);
}

}  // namespace signature_test
}  // namespace stream_webhooks
