// The texts of swarms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "appliance/network/swarms/plan.h"

namespace swarms {
namespace swarm_plan_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::vector<agents::Agent> members{{.owner = 1, .id = "ag_1", .name = "Anna"},
                                         {.owner = 1, .id = "ag_2", .name = "Ben"},
                                         {.owner = 1, .id = "ag_3", .name = "Ben"}};
const Swarm swarm{
    .owner = 1, .id = "sw_1", .goal = "Report", .agents = {"ag_1", "ag_2", "ag_3"}, .orchestrator = "ag_1"};

TEST(SwarmPlan, IsFoundWithinText) {
  const auto plan = plan_in(
      "Sure:\n```json\n{\"tasks\":[{\"agent\":\"Anna\",\"task\":\"A\"},{\"agent\":\"ag_3\",\"task\":\"B\","
      "\"after\":[1,1]}]}\n```\nDone.",
      swarm, members);
  ASSERT_TRUE(plan);
  EXPECT_EQ((*plan)[0].agent, "ag_1");
  EXPECT_EQ((*plan)[1].agent, "ag_3");
  EXPECT_EQ((*plan)[1].id, "sw_1.000002");
  EXPECT_THAT((*plan)[1].after, ElementsAre(1));
}

TEST(SwarmPlan, IsNoneIfItCannotBeFollowed) {
  for (const auto* answer :
       {"", "no plan", "{", "}{", "{}", R"({"tasks":[]})", R"({"tasks":[{"agent":"Ben","task":"two have this name"}]})",
        R"({"tasks":[{"agent":"Cleo","task":"x"}]})", R"({"tasks":[{"agent":"Anna","task":" "}]})",
        R"({"tasks":[{"agent":"Anna","task":"x","after":[1]}]})",
        R"({"tasks":[{"agent":"Anna","task":"x","after":[2]},{"agent":"Anna","task":"y"}]})"})
    EXPECT_FALSE(plan_in(answer, swarm, members)) << answer;
  std::string many = R"({"tasks":[)";
  for (int i = 0; i < 33; ++i) many += std::string(i ? "," : "") + R"({"agent":"Anna","task":"x"})";
  EXPECT_FALSE(plan_in(many + "]}", swarm, members));
  // The request itself is no plan: a model may repeat it.
  EXPECT_FALSE(plan_in(planning_message(swarm, members), swarm, members));
}

TEST(SwarmPlan, OfTheBoxGivesEachTheGoal) {
  auto fallback = swarm;
  fallback.planned_by = Planner::box;
  const auto plan = plan_of_the_box(fallback);
  ASSERT_EQ(plan.size(), 3u);
  EXPECT_EQ(plan[2].number, 3);
  EXPECT_EQ(task_message(fallback, plan[2], plan), "Report");
}

TEST(SwarmTexts, StayWithinWhatAMessageHolds) {
  auto big = swarm;
  big.goal = std::string(8'000, 'g');
  big.planned_by = Planner::agent;
  std::vector<Task> all;
  for (std::int64_t number = 1; number <= 32; ++number)
    all.push_back({.owner = 1,
                   .number = number,
                   .agent = "ag_1",
                   .prompt = std::string(8'000, 'p'),
                   .state = TaskState::done,
                   .answer = std::string(64 * 1024, 'a')});
  for (std::int64_t number = 1; number < 32; ++number) all.back().after.push_back(number);
  EXPECT_LE(task_message(big, all.back(), all).size(), 32'000u);
  EXPECT_LE(joining_message(big, all, members).size(), 33'000u);
}

TEST(SwarmTexts, SayWhoAnsweredAndWhoDidNot) {
  const std::vector<Task> all{
      {.owner = 1, .number = 1, .agent = "ag_1", .state = TaskState::done, .answer = "Yes."},
      {.owner = 1, .number = 2, .agent = "ag_9", .state = TaskState::failed, .error = "It is gone."}};
  EXPECT_EQ(joined(all, members), "## Anna\n\nYes.\n\n## ag_9\n\n(No answer: It is gone.)");
}

}  // namespace swarm_plan_test
}  // namespace swarms
