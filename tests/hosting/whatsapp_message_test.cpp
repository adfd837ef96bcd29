// Free messages within 24 hours after a person's last one, templates after that.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "appliance/hosting/channels/adapters/whatsapp_message.h"
#include "web/json.h"

namespace whatsapp_message_test {

using channels::whatsapp_message;

const store::Time now = store::now();

channels::Sending message(std::string text, std::chrono::hours heard_before) {
  return {.key = "ch_1.2",
          .chat = "4915",
          .text = std::move(text),
          .edits = {},
          .reply_to = {},
          .buttons = {},
          .file_name = {},
          .content = {},
          .last_heard = now - heard_before};
}

TEST(WhatsAppMessage, IsFreeWithinADayOfThePersonsLastOne) {
  const auto made = whatsapp_message(message("**Hello**", std::chrono::hours(23)), {}, now);
  ASSERT_TRUE(made);
  EXPECT_EQ(boost::json::serialize(*made),
            R"({"messaging_product":"whatsapp","recipient_type":"individual","to":"4915",)"
            R"("biz_opaque_callback_data":"ch_1.2","type":"text","text":{"preview_url":false,"body":"*Hello*"}})");
  auto unknown = message("Hello", std::chrono::hours(0));
  unknown.last_heard.reset();
  EXPECT_TRUE(whatsapp_message(unknown, {}, now));
}

TEST(WhatsAppMessage, IsATemplateOfOneLineAfterThat) {
  const auto late = message("One\n\n- two\t  three" + std::string(2'000, 'x'), std::chrono::hours(25));
  const auto refused = whatsapp_message(late, {}, now);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("24 hours"), std::string::npos);
  const auto made = whatsapp_message(late, {.name = "agent_message", .language = "de"}, now);
  ASSERT_TRUE(made);
  const boost::json::value whole(*made);
  EXPECT_EQ(web::string_at(whole, "/type"), "template");
  EXPECT_EQ(web::string_at(whole, "/template/name"), "agent_message");
  EXPECT_EQ(web::string_at(whole, "/template/language/code"), "de");
  const auto text = web::string_at(whole, "/template/components/0/parameters/0/text");
  EXPECT_TRUE(text.starts_with("One • two three")) << text;
  EXPECT_LE(text.size(), 1'024u);
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(WhatsAppMessage, HasButtonsAsReplies) {
  auto asking = message("May I?", std::chrono::hours(1));
  asking.buttons = {{"Allow", "ask:1:allow"}, {"A label of more than twenty", "x"}};
  const boost::json::value whole(*whatsapp_message(asking, {}, now));
  EXPECT_EQ(web::string_at(whole, "/interactive/body/text"), "May I?");
  EXPECT_EQ(web::string_at(whole, "/interactive/action/buttons/0/reply/id"), "ask:1:allow");
  EXPECT_EQ(web::string_at(whole, "/interactive/action/buttons/1/reply/title"), "A label of more than");
}

}  // namespace whatsapp_message_test
