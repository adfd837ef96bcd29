// The choice and order of models, and the circuit breakers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "appliance/models/model_router.h"
#include "appliance/models/providers/breaker.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"

namespace model_router_test {

using namespace test_support;
using namespace std::chrono_literals;
using billing::Plan;
using models::Breaker;
using models::Circuit;
using models::Fault;
using testing::ElementsAre;

TEST(Breaker, OpensOnFailuresInARow) {
  Breaker breaker;
  const auto now = Breaker::Clock::now();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(breaker.admit(now));
    breaker.failed(Fault::unreachable, now);
  }
  breaker.succeeded();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(breaker.state(now), Circuit::closed);
    ASSERT_TRUE(breaker.admit(now));
    breaker.failed(Fault::overloaded, now);
  }
  EXPECT_EQ(breaker.state(now), Circuit::open);
  EXPECT_FALSE(breaker.admit(now));
  EXPECT_TRUE(breaker.admit(now, true)) << "failing has been quick, and there is nobody else";
  EXPECT_EQ(breaker.wait(now), Breaker::first_pause);
}

TEST(Breaker, OpensOnOneTimeOut) {
  Breaker breaker;
  const auto now = Breaker::Clock::now();
  breaker.failed(Fault::timeout, now);
  EXPECT_EQ(breaker.state(now), Circuit::open);
  EXPECT_FALSE(breaker.admit(now, true)) << "waiting for it again would cost as long again";
}

TEST(Breaker, IgnoresFaultsOfTheCaller) {
  Breaker breaker;
  const auto now = Breaker::Clock::now();
  for (const auto fault : {Fault::bad_request, Fault::context_too_long, Fault::rate_limited, Fault::bad_key,
                           Fault::bad_request, Fault::bad_key})
    breaker.failed(fault, now);
  EXPECT_EQ(breaker.state(now), Circuit::closed);
}

TEST(Breaker, AdmitsOneAttemptAfterThePause) {
  Breaker breaker;
  auto now = Breaker::Clock::now();
  breaker.failed(Fault::timeout, now);
  auto pause = Breaker::first_pause;
  for (int i = 0; i < 6; ++i) {
    now += pause;
    EXPECT_EQ(breaker.state(now), Circuit::half_open);
    EXPECT_TRUE(breaker.admit(now));
    EXPECT_FALSE(breaker.admit(now)) << "only one";
    breaker.failed(Fault::timeout, now);
    pause = std::min(2 * pause, Breaker::longest_pause);
    EXPECT_FALSE(breaker.admit(now + pause - 1s));
  }
  now += pause;
  ASSERT_TRUE(breaker.admit(now));
  breaker.abandoned();
  ASSERT_TRUE(breaker.admit(now)) << "one that was given up tells nothing";
  breaker.succeeded();
  EXPECT_EQ(breaker.state(now), Circuit::closed);
}

constexpr auto late = [](bool was_asked) {
  return models::Failure{.fault = Fault::timeout, .message = "late", .may_be_billed = was_asked};
};
constexpr auto asked_for = models::ProviderBreaker::Reason::requested;

TEST(ProviderBreaker, ATimeOutOpensTheCircuitOfTheModelOnly) {
  models::ProviderBreaker breaker(false);
  auto now = Breaker::Clock::now();
  ASSERT_TRUE(breaker.admit("slow", now, asked_for));
  breaker.failed("slow", late(true), now);
  EXPECT_EQ(breaker.whole().state(now), Circuit::closed);
  EXPECT_FALSE(breaker.admit("slow", now, asked_for));
  EXPECT_FALSE(breaker.admit("slow", now, models::ProviderBreaker::Reason::last_resort))
      << "it would cost as long again";
  EXPECT_EQ(breaker.model_wait("slow", now), Breaker::first_pause);
  EXPECT_EQ(breaker.model_wait("other", now), std::nullopt);
  ASSERT_TRUE(breaker.admit("other", now, asked_for));
  breaker.succeeded("other");
  now += Breaker::first_pause;
  ASSERT_TRUE(breaker.admit("slow", now, asked_for));
  EXPECT_FALSE(breaker.admit("slow", now, asked_for)) << "only one";
  breaker.succeeded("slow");
  EXPECT_TRUE(breaker.admit("slow", now, asked_for));
}

TEST(ProviderBreaker, AMissingModelOpensTheCircuitOfTheModelOnly) {
  models::ProviderBreaker breaker(true);
  const auto now = Breaker::Clock::now();
  const models::Failure missing{.fault = Fault::model_not_available, .message = "no such model"};
  for (int i = 0; i < Breaker::threshold; ++i) breaker.failed("gone", missing, now);
  EXPECT_EQ(breaker.whole().state(now), Circuit::closed) << "the provider answers";
  EXPECT_FALSE(breaker.admit("gone", now, asked_for));
  EXPECT_TRUE(breaker.is_missing("gone"));
  EXPECT_TRUE(breaker.admit("other", now, asked_for));
  ASSERT_TRUE(breaker.admit("gone", now + Breaker::longest_pause, asked_for)) << "it may be back";
  breaker.succeeded("gone");
  EXPECT_FALSE(breaker.is_missing("gone"));
}

TEST(ProviderBreaker, TwoTimeOutsInARowOpenTheCircuitOfTheProvider) {
  models::ProviderBreaker breaker(false);
  const auto now = Breaker::Clock::now();
  breaker.failed("one", late(true), now);
  breaker.succeeded("three");
  breaker.failed("two", late(true), now);
  EXPECT_EQ(breaker.whole().state(now), Circuit::closed) << "one has answered in between";
  breaker.failed("three", late(true), now);
  EXPECT_EQ(breaker.whole().state(now), Circuit::open);
  EXPECT_FALSE(breaker.admit("four", now, models::ProviderBreaker::Reason::last_resort));
  EXPECT_TRUE(breaker.admit("four", now, models::ProviderBreaker::Reason::fallback))
      << "a call that saw the failure may go on";
}

TEST(ProviderBreaker, OneTimeOutOpensItIfUnreachableOrOneMachine) {
  const auto now = Breaker::Clock::now();
  models::ProviderBreaker unreachable(false), local(true);
  unreachable.failed("one", late(false), now);
  local.failed("one", late(true), now);
  EXPECT_EQ(unreachable.whole().state(now), Circuit::open);
  EXPECT_EQ(local.whole().state(now), Circuit::open);
  EXPECT_EQ(local.model_wait("one", now), std::nullopt);
}

class ModelRouterTest : public testing::Test {
 protected:
  // The models asked for a query, as provider:name, or the error's code or message.
  std::vector<std::string> chosen(models::ModelQuery query, Plan plan = Plan::network) {
    models::Providers providers(settings);
    models::ModelRouter router(providers, keys, settings.openrouter_model);
    const billing::Payer payer{.user = 1, .plan = plan};
    const auto candidates = await(router.choose(std::move(query), payer, catalogue));
    if (!candidates) {
      const auto& error = candidates.error();
      return {error.code.empty() ? error.message : error.code};
    }
    std::vector<std::string> names;
    for (const auto& candidate : *candidates)
      names.push_back(std::string(candidate.provider->name()) + (candidate.own_key ? "*:" : ":") +
                      candidate.name_there);
    return names;
  }
  void bring_key(const char* provider) {
    const models::ProviderKey brought{.user_id = 1, .id = provider, .key = {"sk-own"}};
    auto change = store->system().change();
    change.insert(models::provider_keys, brought);
    ASSERT_TRUE(change.commit_blocking().ok());
  }

  TemporaryFolder folder;
  std::unique_ptr<store::Store> store = store::Store::open({.folder = folder.path() / "store",
                                                            .master_key = std::string(32, 'k'),
                                                            .tables = {store::describe(models::provider_keys)}});
  models::ProviderKeys keys{store->system()};
  const models::Catalogue catalogue = models::Catalogue::embedded();
  agentbox::Settings settings;
};

TEST_F(ModelRouterTest, ModelsOfATierInOrder) {
  settings.openrouter_api_key = "key-of-the-tests";
  EXPECT_THAT(chosen({.task = "coding"}),
              ElementsAre("openrouter:anthropic/claude-sonnet-5", "openrouter:openai/gpt-5.4-mini",
                          "openrouter:anthropic/claude-haiku-4.5"));
  EXPECT_THAT(chosen({.task = "coding"}, Plan::label), ElementsAre("openrouter:anthropic/claude-haiku-4.5"))
      << "what the plan has of them";
  EXPECT_THAT(chosen({.task = "reasoning"}, Plan::label),
              ElementsAre("openrouter:anthropic/claude-haiku-4.5", "openrouter:google/gemini-3.1-flash-lite",
                          "openrouter:openai/gpt-4o-mini"))
      << "the best of the plan when it has none of them";
}

TEST_F(ModelRouterTest, ANamedModelAndItsFallback) {
  settings.openrouter_api_key = "key-of-the-tests";
  settings.anthropic_api_key = "key-of-the-tests";
  EXPECT_THAT(chosen({.model = "anthropic/claude-sonnet-5"}),
              ElementsAre("anthropic:claude-sonnet-5", "anthropic:claude-haiku-4-5-20251001",
                          "openrouter:anthropic/claude-sonnet-5"))
      << "what its maker does not answer, the router may";
  EXPECT_THAT(chosen({.model = "openai/gpt-4.1"}),
              ElementsAre("openrouter:openai/gpt-4.1", "openrouter:google/gemini-3.1-flash-lite"));
  EXPECT_THAT(chosen({.model = "anthropic/claude-sonnet-5"}, Plan::label), ElementsAre("MODEL_RESTRICTED"));
  EXPECT_THAT(chosen({.model = "nobody/nothing"}), ElementsAre("model_not_found"));
}

TEST_F(ModelRouterTest, OnlyTheseModels) {
  settings.openrouter_api_key = settings.google_api_key = "key-of-the-tests";
  const std::vector<std::string> only{"google/gemini-3.1-flash-lite", "openai/gpt-4o-mini"};
  EXPECT_THAT(chosen({.model = "google/gemini-3.1-flash-lite", .only = only}),
              ElementsAre("google:gemini-3.1-flash-lite", "openrouter:google/gemini-3.1-flash-lite",
                          "openrouter:openai/gpt-4o-mini"))
      << "without the provider's own fallback";
  EXPECT_THAT(chosen({.model = "openai/gpt-4o-mini", .only = only}),
              ElementsAre("openrouter:openai/gpt-4o-mini", "google:gemini-3.1-flash-lite",
                          "openrouter:google/gemini-3.1-flash-lite"));
  EXPECT_THAT(chosen({.model = "anthropic/claude-sonnet-5", .only = only}), testing::SizeIs(3));
  settings.openrouter_api_key.clear();
  EXPECT_THAT(chosen({.model = "openai/gpt-4o-mini", .only = {"openai/gpt-4o-mini"}}),
              ElementsAre(testing::HasSubstr("None of the models")));
}

TEST_F(ModelRouterTest, ALocalServerThatListsNoModelsGetsTheRequest) {
  settings.local_model_url = "http://127.0.0.1:1/v1";  // nobody listens
  EXPECT_THAT(chosen({.model = "llama3"}), ElementsAre("local:llama3")) << "its failure tells the caller why";
}

TEST_F(ModelRouterTest, TheDefaultModelNeedsAPlanThatIncludesIt) {
  settings.openrouter_api_key = "key-of-the-tests";
  settings.openrouter_model = "anthropic/claude-sonnet-5";
  EXPECT_THAT(chosen({}), ElementsAre("openrouter:anthropic/claude-sonnet-5"));
  EXPECT_THAT(chosen({}, Plan::label), testing::Each(testing::Ne("openrouter:anthropic/claude-sonnet-5")));
}

TEST_F(ModelRouterTest, AUsersOwnKeyIsPreferred) {
  settings.openrouter_api_key = "key-of-the-tests";
  bring_key("openai");
  EXPECT_THAT(chosen({.model = "openai/gpt-4o-mini"}), ElementsAre("openai*:gpt-4o-mini", "openai*:gpt-5.4-mini"));
}

TEST_F(ModelRouterTest, TheNamedModelAnswersOrNone) {
  ScriptedServer local(std::vector{http(200, R"({"data":[{"id":"llama"}]})")});
  settings.local_model_url = local.url();
  settings.local_model = "by-setting";
  for (const auto* none : {"", "auto", "custom"})
    EXPECT_THAT(chosen({.model = none}), ElementsAre("local:by-setting")) << none;
  for (const auto* provider : {"", "local", "anthropic", "builtin"}) {
    EXPECT_THAT(chosen({.model = "llama", .provider = provider}), ElementsAre("local:llama")) << provider;
    EXPECT_THAT(chosen({.model = "by-setting", .provider = provider}), ElementsAre("local:by-setting")) << provider;
    EXPECT_THAT(chosen({.model = "mistral", .provider = provider}), ElementsAre("model_not_found")) << provider;
    EXPECT_THAT(chosen({.model = "openai/gpt-5.4", .provider = provider}),
                ElementsAre(testing::HasSubstr("openai/gpt-5.4 is not available")))
        << provider;
  }
  settings.openrouter_api_key = "key-of-the-tests";
  EXPECT_THAT(chosen({.model = "openai/gpt-5.4"}).front(), "openrouter:openai/gpt-5.4");
}

TEST_F(ModelRouterTest, AgentsUseTheProviderOfTheirConfiguration) {
  settings.openrouter_api_key = settings.openai_api_key = settings.anthropic_api_key = "key-of-the-tests";
  const auto served = [&](std::string provider, std::string model) {
    return chosen({.model = std::move(model), .provider = std::move(provider)}).front();
  };
  EXPECT_EQ(served("", "openai/gpt-5.4"), "openai:gpt-5.4");
  EXPECT_EQ(served("openrouter", "openai/gpt-5.4"), "openrouter:openai/gpt-5.4");
  EXPECT_EQ(served("anthropic", "openai/gpt-5.4"), "openai:gpt-5.4") << "one that has no such model";
  EXPECT_EQ(served("google", "openai/gpt-5.4"), "openai:gpt-5.4") << "one that this box has not";
  EXPECT_EQ(served("anthropic", ""), "anthropic:claude-haiku-4-5-20251001") << "the first of its own";
  EXPECT_EQ(served("anthropic", "gone/model"), "model_not_found");
  const auto premium = catalogue.models_for("reasoning").front();
  EXPECT_NE(served("openrouter", premium), "openrouter:" + premium) << "always of its maker";
}

TEST_F(ModelRouterTest, BuiltinOnlyWithoutOtherProviders) {
  EXPECT_THAT(chosen({.task = "general"}), ElementsAre("builtin:"));
  EXPECT_THAT(chosen({.model = "agentbox/builtin"}), ElementsAre("builtin:"));
  settings.ai_builtin = false;
  EXPECT_THAT(chosen({.task = "general"}), ElementsAre(testing::HasSubstr("No model is configured")));
  settings.google_api_key = "key-of-the-tests";
  EXPECT_THAT(chosen({.task = "fast"}), ElementsAre("google:gemini-3.1-flash-lite"));
  EXPECT_THAT(chosen({.task = "coding"}, Plan::label), ElementsAre("google:gemini-3.1-flash-lite"));
}

}  // namespace model_router_test
