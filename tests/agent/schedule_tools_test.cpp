#include <gmock/gmock.h>

#include <map>

#include "appliance/agent/tools/toolbox.h"
#include "tests/support/scripted_server.h"

namespace schedule_tools_test {

using namespace test_support;
using testing::HasSubstr;

class ScheduleTools : public testing::Test {
 protected:
  boost::json::object run(std::string name, std::string arguments) {
    const auto result = await(toolbox.run({.id = "c", .name = std::move(name), .arguments = std::move(arguments)}));
    return boost::json::parse(result.content).as_object();
  }
  Received asked() const { return box.received().back(); }

  ScriptedServer box{[](const Received& request) {
    if (request.target.starts_with("/api/agent-time"))
      return http(200, R"({"utc":"2026-12-01T08:00:00.000Z","local":"2026-12-01T09:00:00+01:00"})");
    if (request.method == "GET") return http(200, R"({"tasks":[],"count":0})");
    if (request.method == "DELETE") return http(404, R"({"error":"No such task"})");
    if (request.json().at("cronSchedule") == "never")
      return http(400, R"({"error":"cronSchedule must have 5 fields"})");
    return http(201, R"({"id":"st_1","nextRun":"2026-11-23T09:00:00.000Z"})");
  }};
  agent_process::Toolbox toolbox{agent_process::schedule_tools(box.url(), "the-box-token")};
};

TEST_F(ScheduleTools, CallTheBoxWithTheTokenOfTheAgent) {
  const auto made = run("schedule_prompt",
                        R"({"name":"News","cronSchedule":"0 9 * * MON","prompt":"What is new?","timezone":"UTC"})");
  EXPECT_EQ(made.at("id"), "st_1");
  EXPECT_EQ(asked().method, "POST");
  EXPECT_EQ(asked().target, "/api/agent-tasks");
  EXPECT_THAT(asked().head, HasSubstr("Authorization: Bearer the-box-token"));
  EXPECT_EQ(asked().json(), boost::json::parse(R"({"name":"News","cronSchedule":"0 9 * * MON",
                                                   "prompt":"What is new?","timezone":"UTC"})"));
  EXPECT_EQ(run("list_scheduled_prompts", "{}").at("count"), 0);
  EXPECT_EQ(asked().method, "GET");
}

TEST_F(ScheduleTools, ScheduleOnePromptOnce) {
  run("schedule_once",
      R"({"name":"Call","at":"2026-12-01T09:00 Europe/Berlin","prompt":"Remind me to call","tellOwner":true})");
  EXPECT_EQ(asked().json(), boost::json::parse(R"({"name":"Call","cronSchedule":"@at 2026-12-01T09:00",
                 "prompt":"Remind me to call","timezone":"Europe/Berlin","tellOwner":true})"));
  run("schedule_once", R"({"name":"Call","at":"2026-12-01T09:00","prompt":"Remind me"})");
  EXPECT_FALSE(asked().json().as_object().contains("timezone")) << "the box's own";
}

TEST_F(ScheduleTools, TellTheTimeOfTheBox) {
  EXPECT_EQ(run("now", R"({"timezone":"Etc/GMT+5"})").at("local"), "2026-12-01T09:00:00+01:00");
  EXPECT_EQ(asked().target, "/api/agent-time?timezone=Etc%2FGMT%2B5");
  run("now", "{}");
  EXPECT_EQ(asked().target, "/api/agent-time");
}

TEST_F(ScheduleTools, ReportRefusalsToTheModel) {
  const auto refused = run("schedule_prompt", R"({"name":"News","cronSchedule":"never","prompt":"What is new?"})");
  EXPECT_EQ(refused.at("error"), "cronSchedule must have 5 fields");
  EXPECT_EQ(run("cancel_scheduled_prompt", R"({"taskId":"st_1"})").at("error"), "No such task");
  EXPECT_EQ(asked().target, "/api/agent-tasks/st_1");
}

TEST_F(ScheduleTools, ReachNoOtherPathOfTheBox) {
  EXPECT_THAT(run("cancel_scheduled_prompt", R"({"taskId":"../agents/ag_1"})").at("error").as_string().c_str(),
              HasSubstr("taskId"));
  EXPECT_TRUE(box.received().empty());
}

}  // namespace schedule_tools_test
