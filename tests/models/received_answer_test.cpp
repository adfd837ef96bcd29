#include <gtest/gtest.h>

#include "appliance/models/attempt.h"

namespace received_answer_test {

using namespace models;

TEST(ReceivedAnswer, CountsWhatNobodyReads) {
  ReceivedAnswer received(nullptr, "local");
  received.text("Where is it? ");
  received.other({.block = 0, .reasoning = {.text = "The user asks for a place. "}});
  received.call(0, "call_1", "find_place", R"({"name":"Fastnet"})");
  EXPECT_FALSE(received.has_target());
  EXPECT_FALSE(received.has_reached_target());
  EXPECT_TRUE(received.first());
  const auto used = received.used(7);
  EXPECT_TRUE(used.estimated);
  EXPECT_EQ(used.input, 7);
  EXPECT_GT(used.output, 10);
}

}  // namespace received_answer_test
