// Mails as webhooks bring them: their signature and their body.
#include <gmock/gmock.h>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/webhook_signature.h"
#include "appliance/network/email_in/mail.h"

namespace email_in_test {

using crypto::from_base64;
using email_in::read_mail;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Base64, IsStrict) {
  EXPECT_EQ(from_base64("aGVsbG8="), "hello");
  EXPECT_EQ(from_base64("//79"), "\xff\xfe\xfd");
  EXPECT_EQ(from_base64(""), "");
  for (const auto* wrong : {"aGVsbG8", "aGVsbG8==", "aGVsbG8=x", "aGVs bG8=", "__79", "a", "====", "aGVsbG9="})
    EXPECT_FALSE(from_base64(wrong)) << wrong;
}

// The example of the Standard Webhooks specification's reference libraries.
TEST(WebhookSignature, IsThatOfStandardWebhooks) {
  const auto key = webhook_signature::signing_key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  const webhook_signature::Signature signature{.id = "msg_p5jXN8AQM9LWM0D4loKWxJek",
                                               .timestamp = "1614265330",
                                               .signatures = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="};
  EXPECT_TRUE(webhook_signature::is_signed(signature, R"({"test": 2432232314})", key));
  EXPECT_FALSE(webhook_signature::is_signed(signature, R"({"test": 2432232315})", key));
  EXPECT_FALSE(webhook_signature::is_signed(signature, R"({"test": 2432232314})", "another key"));
  EXPECT_FALSE(webhook_signature::is_signed(signature, R"({"test": 2432232314})", ""));
}

TEST(WebhookSignature, KnowsItsSecretByThePrefix) {
  EXPECT_EQ(webhook_signature::signing_key("whsec_aGVsbG8="), "hello");
  EXPECT_EQ(webhook_signature::signing_key("aGVsbG8="), "aGVsbG8=");
  EXPECT_EQ(webhook_signature::signing_key("whsec_no base64!"), "");
  EXPECT_EQ(webhook_signature::signing_key(""), "");
}

TEST(WebhookSignature, IsValidForFiveMinutes) {
  const store::Time now{std::chrono::seconds(1'700'000'000)};
  const auto is_accepted = [&](const std::string& timestamp) {
    web::Request request;
    request.headers = {{"svix-id", "msg_1"}, {"Svix-Timestamp", timestamp}, {"svix-signature", "v1,eA=="}};
    return webhook_signature::signature_of(request, now).has_value();
  };
  EXPECT_TRUE(is_accepted("1700000000"));
  EXPECT_TRUE(is_accepted("1699999700"));
  EXPECT_TRUE(is_accepted("1700000300"));
  for (const auto* wrong : {"1699999699", "1700000301", "-1700000000", "1700000000.5", " 1700000000", "", "0x6553f100",
                            "99999999999999999999", "170000000000000"})
    EXPECT_FALSE(is_accepted(wrong)) << wrong;
}

TEST(MailBody, TakesTheFormsOfAddresses) {
  const auto mail = read_mail(R"({"from":"Ada <Ada@Example.org>","to":["x@a.example",{"email":"Y <y@a.example>"},7],
                                  "subject":"s","text":"t"})");
  ASSERT_TRUE(mail && *mail);
  EXPECT_EQ((*mail)->from, "ada@example.org");
  EXPECT_THAT((*mail)->to, ElementsAre("x@a.example", "y@a.example"));
  const auto other =
      read_mail(R"({"type":"email.received","data":{"from":{"address":"a@b.example"},"to":"c@d.example"}})");
  ASSERT_TRUE(other && *other);
  EXPECT_EQ((*other)->text, "");
  const auto ignored = read_mail(R"({"type":"email.sent","data":{}})");
  ASSERT_TRUE(ignored);
  EXPECT_FALSE(*ignored);
}

TEST(MailBody, HasBase64InLines) {
  const auto mail = read_mail(
      R"({"from":"a@b.example","to":"c@d.example","attachments":[{"filename":"f","content":"aGVs\r\nbG8="}]})");
  ASSERT_TRUE(mail && *mail);
  EXPECT_EQ((*mail)->attachments.at(0).content, "hello");
}

TEST(MailBody, NamesWhatIsWrong) {
  const auto error = [](std::string_view body) {
    const auto mail = read_mail(body);
    return mail ? "" : mail.error().message;
  };
  EXPECT_THAT(error("{"), HasSubstr("Body"));
  EXPECT_THAT(error("{}"), HasSubstr("from"));
  EXPECT_THAT(error(R"({"from":"a@b.example, c@d.example","to":"x@y.example"})"), HasSubstr("from"));
  EXPECT_THAT(error(R"({"from":["a@b.example","c@d.example"],"to":"x@y.example"})"), HasSubstr("from"));
  EXPECT_THAT(error(R"({"from":"a@b.example","to":"nobody"})"), HasSubstr("to"));
  EXPECT_THAT(error(R"({"from":"a@b.example","to":"x@y.example","attachments":[{"filename":"f","content":"!"}]})"),
              HasSubstr("attachments[0].content"));
}

}  // namespace email_in_test
