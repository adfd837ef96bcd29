// The ledger, what the AI layer writes into it, and the doors in front of both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "appliance/ai/ai.h"
#include "appliance/ai/routes.h"
#include "appliance/usage/ledger.h"
#include "appliance/usage/routes.h"
#include "tests/appliance/scripted_server.h"
#include "web/fetch.h"
#include "web/server.h"

namespace {

using namespace testing_words;
using testing::HasSubstr;
using testing::SizeIs;
using usage::Money;
using usage::Period;
namespace json = boost::json;

struct Amount {
  std::string text, shown;
};

class MoneyText : public testing::TestWithParam<Amount> {};

TEST_P(MoneyText, GoesBothWays) {
  const auto money = Money::parse(GetParam().text);
  ASSERT_TRUE(money) << GetParam().text;
  EXPECT_EQ(money->to_string(), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(Amounts, MoneyText,
                         testing::Values(Amount{"0", "0.00"}, Amount{"3", "3.00"}, Amount{"0.15", "0.15"},
                                         Amount{"1.5", "1.50"}, Amount{"-2.25", "-2.25"},
                                         Amount{"0.000000000001", "0.000000000001"}, Amount{"9000000", "9000000.00"},
                                         Amount{"0.10", "0.10"}));

TEST(Money, RefusesWhatIsNoAmount) {
  for (const auto* text :
       {"", ".", "1.", ".5", "1e3", "+1", "1,5", "--1", "abc", "0.0000000000001", "99999999999", " 1"}) {
    EXPECT_FALSE(Money::parse(text)) << text;
  }
}

TEST(Money, PricesAreExact) {
  EXPECT_EQ(usage::price_of(1, *Money::parse("0.15")).units(), 150'000);
  EXPECT_EQ(usage::price_of(1'000'000, *Money::parse("0.15")).to_string(), "0.15");
  EXPECT_EQ(usage::price_of(0, *Money::parse("15")).units(), 0);
  EXPECT_EQ(usage::price_of(INT64_MAX, *Money::parse("15")).units(), INT64_MAX) << "saturates";
}

class UsageTest : public testing::Test {
 protected:
  UsageTest()
      : store(store::Store::open({.folder = folder.path / "store",
                                  .master_key = std::string(32, 'k'),
                                  .tables = {store::describe(usage::calls)}})),
        ledger(store->system()) {}

  void record(usage::Call call) {
    await([](usage::Ledger& into, usage::Call row) -> web::Task<int> {
      co_await into.record(std::move(row));
      co_return 0;
    }(ledger, std::move(call)));
  }
  static store::Time at(std::chrono::year_month_day date) {
    return std::chrono::sys_days(date) + std::chrono::hours(12);
  }

  TemporaryFolder folder;
  std::unique_ptr<store::Store> store;
  usage::Ledger ledger;
};

using namespace std::chrono_literals;

TEST_F(UsageTest, CountsByDayMonthAgentAndModel) {
  const auto first = at(2026y / 11 / 21), second = at(2026y / 11 / 22);
  record({.user_id = 1,
          .at = first,
          .agent = "a",
          .provider = "openrouter",
          .model = "x/y",
          .input_tokens = 10,
          .output_tokens = 5,
          .cost = 700,
          .priced = true,
          .outcome = "ok"});
  record({.user_id = 1,
          .at = second,
          .agent = "b",
          .provider = "openrouter",
          .model = "x/y",
          .input_tokens = 1,
          .output_tokens = 1,
          .cost = 300,
          .priced = true,
          .outcome = "ok"});
  record({.user_id = 1, .at = second, .provider = "openrouter", .model = "x/z", .outcome = "timeout"});
  record({.user_id = 2, .at = first, .agent = "a", .model = "x/y", .input_tokens = 99, .outcome = "ok"});

  const auto month = ledger.totals(1, Period::month(first));
  EXPECT_EQ(month.calls, 3);
  EXPECT_EQ(month.failed, 1);
  EXPECT_EQ(month.input_tokens, 11);
  EXPECT_EQ(month.output_tokens, 6);
  EXPECT_EQ(month.cost.units(), 1'000);
  EXPECT_EQ(ledger.totals(1, Period::day(first)).calls, 1);
  EXPECT_EQ(ledger.totals(1, Period::day(second)).failed, 1);
  EXPECT_EQ(ledger.agent_totals(1, "a", Period::month(first)).input_tokens, 10);
  EXPECT_EQ(ledger.model_totals(1, "x/y", Period::month(first)).calls, 2);
  EXPECT_EQ(ledger.totals(1, Period::month(at(2026y / 12 / 1))).calls, 0);
  EXPECT_EQ(ledger.totals(2, Period::month(first)).input_tokens, 99);

  const auto rows = ledger.newest(1, 2);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].at, second);
  EXPECT_EQ(rows[1].at, second);
  EXPECT_THAT(ledger.newest(1, 10), SizeIs(3));
}

TEST_F(UsageTest, PeriodsAreCalendarOnesInUtc) {
  const auto midnight = store::Time(std::chrono::sys_days(2026y / 3 / 1));
  EXPECT_EQ(Period::day(midnight).name(), "2026-03-01");
  EXPECT_EQ(Period::day(midnight - 1ms).name(), "2026-02-28");
  EXPECT_EQ(Period::month(midnight - 1ms).name(), "2026-02");
}

TEST_F(UsageTest, SurvivesARestart) {
  record({.user_id = 1, .at = at(2026y / 11 / 21), .model = "m", .input_tokens = 7, .outcome = "ok"});
  store.reset();
  store = store::Store::open(
      {.folder = folder.path / "store", .master_key = std::string(32, 'k'), .tables = {store::describe(usage::calls)}});
  usage::Ledger again(store->system());
  EXPECT_EQ(again.totals(1, Period::day(at(2026y / 11 / 21))).input_tokens, 7);
  EXPECT_THAT(again.newest(1, 5), SizeIs(1));
}

// The AI layer

class AiTest : public UsageTest {
 protected:
  web::Result<ai::ChatAnswer> ask(ai::Ai& ai, std::string model = {}) {
    ai::ChatRequest request{.model = std::move(model),
                            .messages = {{.role = ai::Role::user, .content = "Who are you?"}}};
    ai::Who who{.user_id = 1, .agent = "agent-1"};
    return await(ai.complete(std::move(request), std::move(who)));
  }
  agentbox::Settings settings;
};

TEST_F(AiTest, AnswersBuiltinWhereNothingIsConfigured) {
  ai::Ai ai(settings, ledger);
  EXPECT_EQ(ai.provider(), "builtin");
  const auto answer = ask(ai);
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->message.content, HasSubstr("builtin"));
  const auto rows = ledger.newest(1, 10);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].model, "agentbox/builtin");
  EXPECT_EQ(rows[0].agent, "agent-1");
  EXPECT_EQ(rows[0].outcome, "ok");
  EXPECT_TRUE(rows[0].estimated);
  EXPECT_TRUE(rows[0].priced);
  EXPECT_EQ(rows[0].cost, 0);
  EXPECT_GT(rows[0].output_tokens, 0);
}

TEST_F(AiTest, SaysWhenNothingCanAnswer) {
  settings.ai_builtin = false;
  ai::Ai ai(settings, ledger);
  const auto answer = ask(ai);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, web::Kind::unavailable);
  EXPECT_THAT(ledger.newest(1, 10), SizeIs(0)) << "nothing was asked";
}

TEST_F(AiTest, PrefersTheLocalServer) {
  ScriptedServer local(std::vector{says("Local.")});
  settings.local_model_url = local.url() + "/v1";
  settings.local_model = "llama";
  settings.openrouter_api_key = "sk-or";
  ai::Ai ai(settings, ledger);
  const auto answer = ask(ai);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->provider, "local");
  EXPECT_EQ(ledger.newest(1, 1).at(0).cost, 0);
}

TEST_F(AiTest, PricesTheRoutersModels) {
  ScriptedServer router(std::vector{says("Routed.")});
  settings.openrouter_api_key = "sk-or";
  settings.openrouter_base_url = router.url();
  ai::Ai ai(settings, ledger);
  ASSERT_TRUE(ask(ai, "openai/gpt-4o-mini"));
  ASSERT_TRUE(ask(ai, "unknown/model"));
  const auto rows = ledger.newest(1, 10);
  ASSERT_THAT(rows, SizeIs(2));
  const auto priced = rows[0].priced ? rows[0] : rows[1];
  EXPECT_EQ(Money::of_units(priced.cost).to_string(), "0.0000045") << "10 tokens in at 0.15, 5 out at 0.60 a million";
  EXPECT_NE(rows[0].priced, rows[1].priced);
  EXPECT_EQ(router.received().at(0).json().at("model"), "openai/gpt-4o-mini");
}

TEST_F(AiTest, MetersFailures) {
  ScriptedServer router(std::vector{http(429, R"({"error":{"message":"slow down"}})")});
  settings.openrouter_api_key = "sk-or";
  settings.openrouter_base_url = router.url();
  ai::Ai ai(settings, ledger);
  const auto answer = ask(ai);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, web::Kind::too_many);
  EXPECT_EQ(answer.error().code, "rate_limited");
  EXPECT_EQ(ledger.newest(1, 1).at(0).outcome, "rate_limited");
  EXPECT_EQ(ledger.totals(1, Period::month(store::now())).failed, 1);
}

// The doors

class DoorTest : public AiTest {
 protected:
  void SetUp() override {
    guards.agent_token = {.name = "agent token",
                          .scheme = "bearer",
                          .admit = [](const web::Request& request) -> web::Result<web::Caller> {
                            if (request.bearer() != "agent") return web::unauthenticated();
                            return web::Caller{.user_id = 1, .agent = "agent-1"};
                          }};
    guards.internal_key = {.name = "internal key",
                           .scheme = "bearer",
                           .admit = [](const web::Request& request) -> web::Result<web::Caller> {
                             if (request.bearer() != "internal") return web::unauthenticated();
                             return web::Caller{};
                           }};
    web::ListenerOptions listener;
    listener.name = "backend";
    listener.listen = "127.0.0.1:0";
    listener.routes = ai::routes(ai, guards);
    web::append(listener.routes, usage::routes(ledger, guards));
    server.listen(std::move(listener));
    io.start();
  }
  web::FetchResponse request(std::string method, std::string path, std::string token, std::string body = {}) {
    web::FetchRequest fetch{.url = server.url("backend") + path, .method = std::move(method), .body = std::move(body)};
    fetch.headers.emplace_back("Authorization", "Bearer " + token);
    if (!fetch.body.empty()) fetch.headers.emplace_back("Content-Type", "application/json");
    auto response = await(web::fetch(std::move(fetch)));
    return response ? *response : web::FetchResponse{.body = response.error().message};
  }

  agentbox::Guards guards;
  ai::Ai ai{settings, ledger};
  web::IoPool io{1};
  web::Server server{io};
};

TEST_F(DoorTest, SpeaksTheOpenAiForm) {
  const std::string ask = R"({"model":"any","messages":[{"role":"user","content":"Who are you?"}]})";
  EXPECT_EQ(request("POST", "/v1/chat/completions", "stranger", ask).status, 401);
  const auto response = request("POST", "/v1/chat/completions", "agent", ask);
  ASSERT_EQ(response.status, 200) << response.body;
  const auto body = json::parse(response.body);
  EXPECT_EQ(body.at("object"), "chat.completion");
  EXPECT_EQ(body.at("model"), "agentbox/builtin");
  EXPECT_EQ(body.at("choices").at(0).at("finish_reason"), "stop");

  const auto bad = request("POST", "/v1/chat/completions", "agent", R"({"messages":[]})");
  EXPECT_EQ(bad.status, 400);
  EXPECT_EQ(json::parse(bad.body).at("error").at("type"), "invalid_request_error");

  const auto models = json::parse(request("GET", "/v1/models", "agent").body);
  EXPECT_EQ(models.at("data").at(0).at("id"), "agentbox/builtin");
}

TEST_F(DoorTest, Streams) {
  const auto response = request("POST", "/v1/chat/completions", "agent",
                                R"({"stream":true,"messages":[{"role":"user","content":"Who are you?"}]})");
  EXPECT_THAT(response.header("content-type"), HasSubstr("text/event-stream"));
  EXPECT_THAT(response.body, HasSubstr("chat.completion.chunk"));
  EXPECT_THAT(response.body, HasSubstr("data: [DONE]\n\n"));
}

TEST_F(DoorTest, SumsUpUsage) {
  ASSERT_TRUE(ask(ai));
  EXPECT_EQ(request("GET", "/api/usage/summary?userId=1", "agent").status, 401);
  EXPECT_EQ(request("GET", "/api/usage/summary", "internal").status, 400);
  EXPECT_EQ(request("GET", "/api/usage/summary?userId=x", "internal").status, 400);
  const auto response = request("GET", "/api/usage/summary?userId=1", "internal");
  ASSERT_EQ(response.status, 200) << response.body;
  const auto body = json::parse(response.body);
  EXPECT_EQ(body.at("month").at("calls"), 1);
  EXPECT_GT(body.at("day").at("totalTokens").as_int64(), 0);
  EXPECT_EQ(body.at("month").at("cost"), "0.00");
}

}  // namespace
