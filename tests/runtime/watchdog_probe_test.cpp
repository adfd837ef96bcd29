#include <gmock/gmock.h>

#include "appliance/runtime/watchdog/probe.h"
#include "tests/hosting/agent_fixture.h"
#include "tests/support/scripted_server.h"

namespace watchdog_probe_test {

using namespace std::chrono_literals;
using namespace watchdog;
using test_support::http;
using test_support::Received;
using test_support::ScriptedServer;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto live = R"({"ok":true,"status":"live"})";

std::uint16_t port_of(const ScriptedServer& server) {
  const auto url = server.url();
  return std::uint16_t(std::stoi(url.substr(url.rfind(':') + 1)));
}

Report probe_of(const ScriptedServer& gateway, Command check = Command::check_live,
                std::chrono::milliseconds patience = 5s) {
  return test_support::await(probe(port_of(gateway), check, patience));
}

std::string complaint(std::string answer) {
  ScriptedServer gateway(std::vector<std::string>{std::move(answer)});
  const auto report = probe_of(gateway, Command::check_live, 100ms);
  EXPECT_EQ(report.outcome, Outcome::bad);
  return report.why;
}

std::vector<std::string> targets(const ScriptedServer& gateway) {
  std::vector<std::string> found;
  for (const auto& request : gateway.received()) found.push_back(request.method + " " + request.target);
  return found;
}

TEST(WatchdogProbe, AnAgentThatAnswersIsHealthy) {
  ScriptedServer gateway({http(200, live)});
  EXPECT_EQ(probe_of(gateway).outcome, Outcome::good);
  EXPECT_THAT(targets(gateway), ElementsAre("GET /healthz"));
}

TEST(WatchdogProbe, AReadinessCheckRequestsBothEndpoints) {
  ScriptedServer gateway({http(200, live), http(200, R"({"ready":true,"failing":[],"uptimeMs":1})")});
  EXPECT_EQ(probe_of(gateway, Command::check_ready).outcome, Outcome::good);
  EXPECT_THAT(targets(gateway), ElementsAre("GET /healthz", "GET /readyz"));
}

TEST(WatchdogProbe, AnAnswerWithoutALengthEndsWithItsConnection) {
  ScriptedServer gateway({std::string("HTTP/1.1 200 OK\r\n\r\n") + live});
  EXPECT_EQ(probe_of(gateway).outcome, Outcome::good);
}

TEST(WatchdogProbe, TheStatusInTheAnswerCounts) {
  EXPECT_EQ(complaint(http(200, R"({"ok":false,"status":"live"})")), "Its gateway answers /healthz with 200");
  EXPECT_EQ(complaint(http(503, "")), "Its gateway answers /healthz with 503");
  ScriptedServer gateway({http(200, live), http(503, R"({"ready":false,"failing":["workspace","model",7]})")});
  EXPECT_EQ(probe_of(gateway, Command::check_ready).why, "Its gateway answers /readyz with 503: workspace, model");
}

TEST(WatchdogProbe, FailuresAreDistinguished) {
  EXPECT_THAT(complaint(ScriptedServer::stall), HasSubstr("does not answer: nothing came within 100 ms"));
  EXPECT_THAT(complaint(""), HasSubstr("does not answer: "));
  EXPECT_THAT(complaint("SSH-2.0-OpenSSH_9.2\r\n\r\n"), HasSubstr("what came is not HTTP"));
  EXPECT_THAT(complaint("HTTP/1.1 2"), HasSubstr("what came is not HTTP"));
  EXPECT_THAT(complaint(std::string(200'000, 'x')), HasSubstr("does not answer: "));
  const auto report = test_support::await(probe(agent_tests::free_port(), Command::check_live, 5s));
  EXPECT_THAT(report.why, HasSubstr("does not answer: Connection refused"));
}

TEST(WatchdogProbe, AnEndlessAnswerIsTruncated) {
  ScriptedServer gateway(
      {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n" + std::string(300'000, ' ')});
  EXPECT_EQ(probe_of(gateway).outcome, Outcome::good) << "it answers, and does not say that it is ill";
}

}  // namespace watchdog_probe_test
