// The audit log as a stream: the form of a syslog message, the order of entries, and the position that is kept.
#include "appliance/identity/audit/syslog.h"
#include "tests/identity/people_fixture.h"

namespace audit_stream_test {

audit::Entry failed_sign_in() {
  audit::Entry entry{.act = "sign-in by password", .outcome = "Invalid credentials"};
  entry.id = 17;
  entry.at = store::Time(std::chrono::milliseconds(1'764'158'400'123));
  entry.subject = "a\"b\\c]d\ne";
  return entry;
}

TEST(SyslogMessages, HaveTheFormOfRfc5424) {
  const auto message = audit::syslog_message(failed_sign_in(), "box.example.org");
  const std::string head = "<108>1 2025-11-26T12:00:00.123Z box.example.org agentbox ";
  EXPECT_EQ(message.substr(0, head.size()), head);
  EXPECT_NE(message.find(" 17 [audit@32473 id=\"17\" act=\"sign-in by password\" outcome=\"Invalid credentials\""),
            std::string::npos)
      << message;
}

TEST(SyslogMessages, EscapeWhatEndsAParameterAndStayOnOneLine) {
  const auto message = audit::syslog_message(failed_sign_in(), "");
  EXPECT_NE(message.find("subject=\"a\\\"b\\\\c\\]d e\""), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_NE(message.find("Z - agentbox "), std::string::npos) << "a host without a name";
}

TEST(SyslogMessages, SuccessIsANotice) {
  auto entry = failed_sign_in();
  entry.outcome = "ok";
  EXPECT_EQ(audit::syslog_message(entry, "box").substr(0, 6), "<109>1");
}

class AuditStream : public people_tests::People {
 protected:
  void note(int count) {
    for (int at = 0; at < count; ++at) {
      audit::Entry entry{.act = "a test", .outcome = "ok"};
      run(log.note(std::move(entry)));
    }
  }
  std::unique_ptr<audit::Stream> open() {
    const auto take = [this](const audit::Collector&, const std::vector<audit::Entry>& batch) -> web::Result<void> {
      ++attempts;
      if (is_away) return web::bad_gateway("The collector is away");
      for (const auto& entry : batch) taken.push_back(entry.id);
      return {};
    };
    return std::make_unique<audit::Stream>(system, log, audit::Collector{.url = "syslog+tcp://collector"}, io, take);
  }

  audit::Audit log{system};
  boost::asio::io_context io;
  bool is_away = false;
  int attempts = 0;
  std::vector<std::int64_t> taken;
};

TEST_F(AuditStream, SendsEverythingInOrderAndGoesOnWhereItWas) {
  note(450);
  run(open()->work());
  EXPECT_EQ(attempts, 3);
  note(2);
  const auto stream = open();
  EXPECT_EQ(stream->status().pending, 2);
  run(stream->work());
  ASSERT_EQ(taken.size(), 452U);
  for (std::size_t at = 1; at < taken.size(); ++at) EXPECT_EQ(taken[at], taken[at - 1] + 1);
  EXPECT_EQ(stream->status().pending, 0);
}

TEST_F(AuditStream, AFailureIsReportedAndLosesNothing) {
  note(1);
  is_away = true;
  const auto stream = open();
  run(stream->work());
  EXPECT_EQ(stream->status().problem, "The collector is away");
  EXPECT_EQ(stream->status().pending, 1);
  is_away = false;
  run(open()->work());
  EXPECT_EQ(taken.size(), 1U);
}

}  // namespace audit_stream_test
