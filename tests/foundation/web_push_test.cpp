#include "appliance/foundation/crypto/web_push.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "appliance/foundation/crypto/base64url.h"

namespace web_push_test {

std::string bytes(std::string_view base64url) { return crypto::from_base64url(base64url).value(); }

// RFC 8291, appendix A.
const crypto::PushReceiver receiver{
    .public_key = bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
    .secret = bytes("BTBZMqHH6r4Tts7J_aSIgg")};
const crypto::PushSender sender{
    .private_key = bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
    .public_key = bytes("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"),
    .salt = bytes("DGv6ra1nlYgDCS1FRnbzlw")};

TEST(WebPush, TheExampleOfTheStandardIsEncryptedAsPublished) {
  const auto body = crypto::encrypt_push(receiver, "When I grow up, I want to be a watermelon", sender);
  EXPECT_EQ(crypto::to_base64url(body),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6P"
            "Bru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN");
}

TEST(WebPush, EveryMessageHasAKeyOfItsOwnAndFitsThePushService) {
  const auto first = crypto::encrypt_push(receiver, "the same"), second = crypto::encrypt_push(receiver, "the same");
  EXPECT_NE(first.substr(0, 16), second.substr(0, 16));
  EXPECT_NE(first.substr(21, 65), second.substr(21, 65));
  EXPECT_EQ(crypto::encrypt_push(receiver, std::string(crypto::max_push_message, 'x')).size(), 4'096u);
  EXPECT_THROW(crypto::encrypt_push(receiver, std::string(crypto::max_push_message + 1, 'x')), std::invalid_argument);
}

TEST(WebPush, OnlyPointsOnTheCurveAreReceivers) {
  EXPECT_TRUE(crypto::is_push_receiver(receiver));
  auto wrong = receiver;
  wrong.public_key[40] ^= 1;
  EXPECT_FALSE(crypto::is_push_receiver(wrong));
  EXPECT_THROW(crypto::encrypt_push(wrong, "x"), std::invalid_argument);
  wrong = receiver;
  wrong.secret.pop_back();
  EXPECT_FALSE(crypto::is_push_receiver(wrong));
  wrong = receiver;
  wrong.public_key = std::string(65, '\0');
  EXPECT_FALSE(crypto::is_push_receiver(wrong));
  EXPECT_FALSE(crypto::is_push_receiver({}));
}

}  // namespace web_push_test
