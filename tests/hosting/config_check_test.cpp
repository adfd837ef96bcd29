// The profile of an agent, read from its config.
#include "appliance/hosting/agents/config_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace config_check_test {

using agents::profile_of;
using testing::ElementsAre;

runtime::AgentProfile of(std::string_view config) { return profile_of(boost::json::parse(config).as_object()); }

TEST(AgentProfile, IsReadFromTheConfig) {
  const auto profile = of(
      R"({"systemPrompt":"Be\nbrief.","temperature":0,"topP":1,"maxTokens":7,"tools":["recall"],"model":"a/b","mood":[]})");
  EXPECT_EQ(profile.instructions, "Be\nbrief.");
  EXPECT_EQ(profile.temperature, 0);
  EXPECT_EQ(profile.top_p, 1);
  EXPECT_EQ(profile.max_tokens, 7);
  ASSERT_TRUE(profile.tools);
  EXPECT_THAT(*profile.tools, ElementsAre("recall"));
}

TEST(AgentProfile, HasTheLimitsOfATurn) {
  const auto profile =
      of(R"({"reasoningEffort":"low","maxRounds":5,"maxTurnTokens":20000,"maxTurnSeconds":60,"tools":[]})");
  EXPECT_EQ(profile.reasoning_effort, "low");
  EXPECT_EQ(profile.max_rounds, 5);
  EXPECT_EQ(profile.max_turn_tokens, 20'000);
  EXPECT_EQ(profile.max_turn_seconds, 60);
  for (const auto* config : {R"({"reasoningEffort":"much"})", R"({"maxRounds":0})", R"({"maxTurnTokens":1})"}) {
    const auto read = agents::read_config(boost::json::parse(config).as_object(), {});
    ASSERT_FALSE(read) << config;
    EXPECT_THAT(read.error().message, testing::HasSubstr("config.")) << config;
  }
}

TEST(AgentProfile, IsEmptyWithoutAConfig) {
  for (const auto* config : {"{}", R"({"temperature":null,"tools":null,"systemPrompt":null})"}) {
    const auto profile = of(config);
    EXPECT_TRUE(profile.instructions.empty());
    EXPECT_FALSE(profile.temperature || profile.top_p || profile.max_tokens || profile.tools) << config;
  }
  EXPECT_TRUE(of(R"({"tools":[]})").tools) << "none at all is a choice";
}

TEST(AgentProfile, IsEmptyForAnInvalidStoredConfig) {
  const auto profile = of(R"({"temperature":"warm","systemPrompt":"Be brief."})");
  EXPECT_TRUE(profile.instructions.empty());
  EXPECT_FALSE(profile.temperature);
}

}  // namespace config_check_test
