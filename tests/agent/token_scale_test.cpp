#include "appliance/agent/token_scale.h"

#include <gtest/gtest.h>

namespace token_scale_test {

using agent_process::context_tokens;
using agent_process::TokenScale;

TEST(TokenScale, FollowsWhatTheModelReports) {
  TokenScale scale;
  EXPECT_LT(scale.counted(10'500), 10'001) << "with a margin";
  scale.learn(10'000, 15'000);
  EXPECT_DOUBLE_EQ(scale.factor(), 1.5) << "at once if the model makes more of it";
  scale.learn(10'000, 7'000);
  EXPECT_DOUBLE_EQ(scale.factor(), 1.3) << "slowly if it makes less";
  scale.learn(10'000, 4'000);
  EXPECT_DOUBLE_EQ(scale.factor(), 1.3) << "a part of the prompt was cached";
  scale.learn(100, 1'000);
  EXPECT_DOUBLE_EQ(scale.factor(), 1.3) << "short prompts say little";
  scale.learn_refusal(10'000, 8'000);
  EXPECT_DOUBLE_EQ(scale.factor(), 1.3) << "that it is too long says nothing new";
  scale.learn_refusal(10'000, 20'000);
  EXPECT_DOUBLE_EQ(scale.factor(), 2);
  scale.learn(1'000, 1'000'000);
  EXPECT_DOUBLE_EQ(scale.factor(), 4) << "a wrong report does not take the whole context";
}

TEST(TokenScale, CountsAtLeastATokenForFourBytes) {
  models::Message message{.role = models::Role::user, .content = std::string(4'000, ' ')};
  EXPECT_GE(context_tokens(message), 1'000);
  message.content = "word word word word";
  const auto words = context_tokens(message);
  message.reasoning.push_back({.provider = "x", .text = std::string(400, 'r')});
  EXPECT_GE(context_tokens(message), words + 100) << "reasoning is sent back";
}

}  // namespace token_scale_test
