// What an agent is told of the config that its record holds.
#include "appliance/hosting/agents/config_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace {

using agents::conduct_of;
using testing::ElementsAre;

runtime::AgentProfile of(std::string_view config) { return conduct_of(boost::json::parse(config).as_object()); }

TEST(AgentProfile, IsWhatTheConfigSays) {
  const auto conduct = of(
      R"({"systemPrompt":"Be\nbrief.","temperature":0,"topP":1,"maxTokens":7,"tools":["recall"],"model":"a/b","mood":[]})");
  EXPECT_EQ(conduct.instructions, "Be\nbrief.");
  EXPECT_EQ(conduct.temperature, 0);
  EXPECT_EQ(conduct.top_p, 1);
  EXPECT_EQ(conduct.max_tokens, 7);
  ASSERT_TRUE(conduct.tools);
  EXPECT_THAT(*conduct.tools, ElementsAre("recall"));
}

TEST(AgentProfile, IsTheAgentsOwnWhereTheConfigSaysNothing) {
  for (const auto* config : {"{}", R"({"temperature":null,"tools":null,"systemPrompt":null})"}) {
    const auto conduct = of(config);
    EXPECT_TRUE(conduct.instructions.empty());
    EXPECT_FALSE(conduct.temperature || conduct.top_p || conduct.max_tokens || conduct.tools) << config;
  }
  EXPECT_TRUE(of(R"({"tools":[]})").tools) << "none at all is a choice";
}

TEST(AgentProfile, OfAConfigFromBeforeItWasCheckedIsTheAgentsOwn) {
  const auto conduct = of(R"({"temperature":"warm","systemPrompt":"Be brief."})");
  EXPECT_TRUE(conduct.instructions.empty());
  EXPECT_FALSE(conduct.temperature);
}

}  // namespace
