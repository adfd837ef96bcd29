#include "appliance/box/egress/egress_ledger.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "tests/identity/people_fixture.h"

namespace egress_ledger_test {

using namespace std::chrono_literals;

class EgressLedger : public people_tests::People {
 protected:
  void call(const std::string& host, std::int64_t bytes = 10, const std::string& agent = {}) {
    const web::CallOrigin origin{.part = "models", .agent = agent};
    auto passage = counted.admit(origin, host, 443);
    passage.value().add_bytes(bytes, 2 * bytes);
  }
  void keep(store::Time at) {
    boost::asio::co_spawn(home, ledger.keep(at), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
    home.restart();
    home.run();
  }
  std::vector<egress::HourLine> all(const egress::Filter& filter = {}) const { return ledger.list(filter, {}, 10'000); }

  const store::Time noon = std::chrono::floor<std::chrono::days>(store::now()) + 12h;
  web::Outbound counted;
  boost::asio::io_context home;
  egress::EgressLedger ledger{system, counted, home, [](const std::string& agent) { return agent == "a1" ? 7 : 0; }};
};

TEST_F(EgressLedger, AddsUpByHourAskerAndDestination) {
  call("api.example.org");
  call("api.example.org", 5);
  call("other.example.org", 1, "a1");
  keep(noon + 10min);
  call("api.example.org");
  keep(noon + 59min);
  call("api.example.org");
  keep(noon + 60min);

  const auto lines = all();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].hour, noon + 1h) << "the newest first";
  EXPECT_EQ(lines[0].calls, 1);
  const auto first = all({.host = "api.", .is_refused = false});
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[1].calls, 3);
  EXPECT_EQ(first[1].bytes_out, 25);
  EXPECT_EQ(first[1].bytes_in, 50);
  const auto of_agent = all({.agent = "a1"});
  ASSERT_EQ(of_agent.size(), 1u);
  EXPECT_EQ(of_agent[0].user_id, 7);
  EXPECT_TRUE(all({.is_refused = true}).empty());
}

TEST_F(EgressLedger, ReadsPageByPage) {
  for (int i = 0; i < 25; ++i) call("host" + std::to_string(i) + ".example.org");
  keep(noon);
  std::set<std::string> seen;
  for (auto page = ledger.list({}, {}, 10); !page.empty(); page = ledger.list({}, page.back().id, 10))
    for (const auto& line : page) EXPECT_TRUE(seen.insert(line.host).second) << line.host;
  EXPECT_EQ(seen.size(), 25u);
}

TEST_F(EgressLedger, BoundsTheLinesOfAnHour) {
  constexpr int many = 1'100;
  for (int i = 0; i < many; ++i) call("host" + std::to_string(i) + ".example.org");
  keep(noon);
  const auto lines = all();
  EXPECT_EQ(lines.size(), 1'001u) << "a thousand, and one for the rest";
  EXPECT_EQ(std::accumulate(lines.begin(), lines.end(), std::int64_t{0},
                            [](std::int64_t sum, const egress::HourLine& line) { return sum + line.calls; }),
            many);
  EXPECT_EQ(all({.host = "*"}).size(), 1u);
}

TEST_F(EgressLedger, ForgetsAfterThirtyDays) {
  call("old.example.org");
  keep(noon - 31 * 24h);
  call("new.example.org");
  keep(noon - 29 * 24h);
  run(ledger.sweep(noon));
  const auto lines = all();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].host, "new.example.org");
}

}  // namespace egress_ledger_test
