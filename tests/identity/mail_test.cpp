#include <gtest/gtest.h>

#include "appliance/identity/mail/outbox.h"
#include "tests/identity/people_fixture.h"

namespace mail_test {

using namespace std::chrono_literals;

TEST(MailText, FollowsRfc5322WithoutHeaderInjection) {
  const mail::Letter letter{
      .to = "ada@example.org", .subject = "Hello\r\nBcc: eve@example.org", .body = "one\ntwo\r\n"};
  const std::string text = mail::message_text(letter, "box@example.org", "Thu, 01 Jan 1970 00:00:00 +0000", "id@box");
  EXPECT_TRUE(
      text.starts_with("Date: Thu, 01 Jan 1970 00:00:00 +0000\r\nFrom: box@example.org\r\nTo: ada@example.org\r\n"
                       "Subject: HelloBcc: eve@example.org\r\n"))
      << text;
  EXPECT_TRUE(text.ends_with("\r\n\r\none\r\ntwo\r\n")) << text;
  EXPECT_EQ(text.find("\r\nBcc"), std::string::npos);
}

TEST(MailText, DatesAreEnglish) {
  EXPECT_EQ(mail::mail_date(std::chrono::sys_seconds(0s)), "Thu, 01 Jan 1970 00:00:00 +0000");
  EXPECT_EQ(mail::mail_date(std::chrono::sys_days(std::chrono::year(2028) / 2 / 29) + 23h + 5min + 9s),
            "Tue, 29 Feb 2028 23:05:09 +0000");
}

class Outbox : public people_tests::People {
 protected:
  mail::Outbox with_server(std::string url) {
    return {
        system, {std::move(url), "box@example.org"}, io, pool, [this](const mail::Smtp&, const mail::Letter& letter) {
          sent.push_back(letter.to);
          return problem;
        }};
  }
  mail::Mail stored() {
    return *system.find_range(mail::mails, "created_at", store::Time{}, store::Time::max()).begin();
  }

  boost::asio::io_context io;
  boost::asio::thread_pool pool{1};
  std::vector<std::string> sent;
  std::optional<std::string> problem;
};

const mail::Letter letter{.to = "ada@example.org", .subject = "Hello", .body = "a secret link"};

TEST_F(Outbox, WithoutAServerMailsAreKeptForTheAdministrator) {
  auto outbox = with_server("");
  run(outbox.post(letter));
  run(outbox.work());
  EXPECT_TRUE(sent.empty());
  EXPECT_EQ(stored().delivery, mail::Delivery::kept);
  EXPECT_EQ(outbox.list(10).front().body.clear, "a secret link");
}

TEST_F(Outbox, ASentMailIsNotSentAgain) {
  auto outbox = with_server("smtp://mail.example.org");
  run(outbox.post(letter));
  run(outbox.work());
  run(outbox.work());
  EXPECT_EQ(sent, std::vector<std::string>{"ada@example.org"});
  EXPECT_EQ(stored().delivery, mail::Delivery::sent);
}

TEST_F(Outbox, AFailedMailIsRetriedWithBackOffAndThenGivenUp) {
  problem = "451 not now";
  auto outbox = with_server("smtp://mail.example.org");
  run(outbox.post(letter));
  store::Time::duration pause{0};
  for (int attempt = 1; attempt <= mail::max_attempts; ++attempt) {
    run(outbox.work());
    run(outbox.work());  // not due
    ASSERT_EQ(sent.size(), static_cast<std::size_t>(attempt));
    const auto mail = stored();
    EXPECT_EQ(mail.problem, "451 not now");
    EXPECT_GT(mail.next_attempt_at - store::now(), pause);
    pause = mail.next_attempt_at - store::now();
    auto make_due = [](mail::Mail& edited) { edited.next_attempt_at = store::now(); };
    run(system.modify(mail::mails, mail.id, make_due));
  }
  run(outbox.work());
  EXPECT_EQ(sent.size(), static_cast<std::size_t>(mail::max_attempts));
  EXPECT_EQ(stored().delivery, mail::Delivery::failed);
}

TEST_F(Outbox, OldMailsAreRemoved) {
  auto outbox = with_server("");
  run(outbox.post(letter));
  run(outbox.sweep(store::now() + mail::kept - 1min));
  EXPECT_EQ(outbox.list(10).size(), 1u);
  run(outbox.sweep(store::now() + mail::kept + 1min));
  EXPECT_TRUE(outbox.list(10).empty());
}

}  // namespace mail_test
