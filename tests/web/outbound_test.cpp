#include "web/client/outbound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/web/fetch_fixture.h"

namespace web {
namespace outbound_test {

const CallOrigin mail{.part = "mail"};
const CallOrigin agent{.part = "models", .user = 7, .agent = "a1"};

bool admits(const OutboundPolicy& policy, const std::string& host, std::uint16_t port) {
  Outbound counted;
  counted.set_policy(policy);
  return counted.check(mail, host, port).has_value();
}

TEST(Outbound, LoopbackIsInside) {
  for (const char* host : {"127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost", "LOCALHOST", "::ffff:127.0.0.1"})
    EXPECT_TRUE(is_inside(host)) << host;
  for (const char* host : {"10.0.0.1", "0.0.0.0", "::", "localhost.example.org", "169.254.169.254", "example.org", ""})
    EXPECT_FALSE(is_inside(host)) << host;
}

TEST(Outbound, AdmitsEverythingUnlessItDenies) {
  EXPECT_TRUE(admits({}, "example.org", 443));
  EXPECT_FALSE(admits({.denies = true, .allow = {}}, "example.org", 443));
  EXPECT_TRUE(admits({.denies = true, .allow = {}}, "127.0.0.1", 11434));
}

TEST(Outbound, AdmitsWhatTheListNames) {
  const auto with = [](std::string entry) { return OutboundPolicy{.denies = true, .allow = {std::move(entry)}}; };
  EXPECT_TRUE(admits(with("api.example.org:443"), "api.example.org", 443));
  EXPECT_TRUE(admits(with("api.example.org:443"), "API.example.org.", 443));
  EXPECT_FALSE(admits(with("api.example.org:443"), "api.example.org", 80));
  EXPECT_FALSE(admits(with("api.example.org:443"), "evil-api.example.org", 443));
  EXPECT_TRUE(admits(with(".example.org:443"), "a.b.example.org", 443));
  EXPECT_FALSE(admits(with(".example.org:443"), "example.org", 443));
  EXPECT_FALSE(admits(with(".example.org:443"), "notexample.org", 443));
  EXPECT_TRUE(admits(with("*:443"), "anything.test", 443));
  EXPECT_FALSE(admits(with("*:443"), "anything.test", 80));
  EXPECT_TRUE(admits(with("mail.example.org:*"), "mail.example.org", 587));
  EXPECT_TRUE(admits(with("[2001:db8::1]:443"), "2001:DB8::1", 443));
}

TEST(Outbound, NamesTheDestinationAndTheSetting) {
  Outbound counted;
  counted.set_policy({.denies = true, .allow = {"other.example.org:443"}});
  const auto refused = counted.admit(agent, "api.example.org", 443);
  ASSERT_TRUE(refused.has_error());
  EXPECT_EQ(refused.error().kind, Kind::unavailable);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("api.example.org:443"));
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("EGRESS_ALLOW"));
  const auto entries = counted.take();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].line.origin, agent);
  EXPECT_EQ(entries[0].count.refused, 1);
  EXPECT_EQ(entries[0].count.calls, 0);
}

TEST(Outbound, CountsACallWhenItEnds) {
  Outbound counted;
  counted.set_policy({.denies = true, .allow = {"*:25"}});
  {
    auto passage = counted.admit(mail, "mail.example.org", 25);
    ASSERT_TRUE(passage.has_value());
    EXPECT_TRUE(counted.take().empty());
    auto moved = std::move(*passage);
    moved.add_bytes(100, 20);
    moved.add_bytes(1, 2);
  }
  const auto entries = counted.take();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].line.setting, "EGRESS_ALLOW *:25");
  EXPECT_EQ(entries[0].count.calls, 1);
  EXPECT_EQ(entries[0].count.bytes_out, 101);
  EXPECT_EQ(entries[0].count.bytes_in, 22);
  EXPECT_TRUE(counted.take().empty());
}

TEST(Outbound, DoesNotCountWhatStaysInside) {
  Outbound counted;
  { const auto passage = counted.admit(mail, "localhost", 25); }
  EXPECT_TRUE(counted.take().empty());
}

TEST(Outbound, IsBounded) {
  Outbound counted;
  constexpr int many = 5'000;
  for (int i = 0; i < many; ++i) {
    const auto passage = counted.admit(agent, "host" + std::to_string(i) + ".example.org", 443);
  }
  const auto entries = counted.take();
  EXPECT_LE(entries.size(), 2'001u);
  std::int64_t calls = 0;
  for (const auto& entry : entries) calls += entry.count.calls;
  EXPECT_EQ(calls, many);
}

class OutboundFetch : public tests::FetchTest {
 protected:
  OutboundFetch() { outbound().take(); }
  ~OutboundFetch() override { outbound().set_policy({}); }
};

// 0.0.0.0 leads to this machine, but is not among the addresses that are inside.
TEST_F(OutboundFetch, IsCountedByHop) {
  tests::Loopback server(tests::always("hello"));
  const auto port = server.url().substr(server.url().rfind(':') + 1);
  const auto answer = get({.url = "http://0.0.0.0:" + port + "/", .origin = agent});
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  const auto entries = outbound().take();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].line.host, "0.0.0.0");
  EXPECT_EQ(entries[0].line.origin, agent);
  EXPECT_GT(entries[0].count.bytes_out, 20);
  EXPECT_GT(entries[0].count.bytes_in, 5);
}

TEST_F(OutboundFetch, IsRefusedBeforeTheNameIsResolved) {
  outbound().set_policy({.denies = true, .allow = {}});
  expect_error(get_url("http://there-is-no-such-host.invalid/"), Kind::unavailable,
               "may not connect to there-is-no-such-host.invalid:80");
}

TEST_F(OutboundFetch, OfTheBoxsOwnListenersIsNotHeldAgainstThePolicy) {
  outbound().set_policy({.denies = true, .allow = {}});
  tests::Loopback server(tests::always("hello"));
  const auto port = server.url().substr(server.url().rfind(':') + 1);
  EXPECT_TRUE(get_url("http://127.0.0.1:" + port + "/").has_value());
  EXPECT_TRUE(get({.url = "http://0.0.0.0:" + port + "/", .reach = Reach::own}).has_value());
  EXPECT_TRUE(outbound().take().empty());
}

}  // namespace outbound_test
}  // namespace web
