// What vendors refuse is repaired before it is sent, and what servers accept is passed on.
#include "appliance/models/providers/repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "appliance/models/providers/anthropic_wire.h"
#include "appliance/models/providers/claude_rules.h"
#include "appliance/models/providers/google_wire.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/responses_wire.h"

namespace repair_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
namespace json = boost::json;

TEST(RepairedCalls, HaveUniqueIdsAndResults) {
  using models::Role;
  std::vector<models::Message> messages{
      {.role = Role::user, .content = "?"},
      {.role = Role::assistant, .tool_calls = {{.id = "call_0", .name = "a"}, {.id = "call_0", .name = "b"}}},
      {.role = Role::tool, .content = "1", .tool_call_id = "call_0"},
      {.role = Role::user, .content = "Well?"},
      {.role = Role::tool, .content = "2", .tool_call_id = "call_0"},
      {.role = Role::assistant, .tool_calls = {{.id = "call_0", .name = "a"}, {.id = "x:y/z", .name = "c"}}},
      {.role = Role::tool, .content = "3", .tool_call_id = "x:y/z"}};
  models::repair_calls(messages);
  std::string seen;
  for (const auto& message : messages) {
    for (const auto& call : message.tool_calls) seen += call.name + "=" + call.id + " ";
    if (message.role == Role::tool) seen += message.tool_call_id + ":" + message.content.substr(0, 10) + " ";
    if (message.role == Role::user) seen += message.content + " ";
  }
  EXPECT_EQ(seen, "? a=call_0 b=call_0_1 call_0:1 call_0_1:2 Well? a=call_0_2 c=x_y_z call_0_2:(There is  x_y_z:3 ");
  EXPECT_THAT(messages[1].tool_calls, SizeIs(2));
}

TEST(RepairedCalls, MakeResultsWithoutACallTheUsers) {
  using models::Role;
  const models::Part image{.url = "data:image/png;base64,AAAA", .kind = models::PartKind::image};
  std::vector<models::Message> messages{{.role = Role::tool, .content = "lost", .tool_call_id = "x"},
                                        {.role = Role::assistant, .tool_calls = {{.id = "a", .name = "t"}}},
                                        {.role = Role::tool, .content = "1", .tool_call_id = "a"},
                                        {.role = Role::tool, .content = "twice", .tool_call_id = "a"},
                                        {.role = Role::tool, .content = " ", .tool_call_id = "b", .parts = {image}}};
  models::repair_calls(messages);
  ASSERT_THAT(messages, SizeIs(5));
  EXPECT_EQ(messages[0].role, Role::user);
  EXPECT_THAT(messages[0].content, testing::EndsWith("\nlost"));
  EXPECT_EQ(messages[2].role, Role::tool);
  EXPECT_EQ(messages[2].content, "1");
  EXPECT_EQ(messages[3].role, Role::user);
  EXPECT_EQ(messages[3].tool_call_id, "");
  EXPECT_EQ(messages[4].content, models::missing_call_note);
  EXPECT_THAT(messages[4].parts, SizeIs(2));
}

TEST(RepairedCalls, HaveArguments) {
  const auto asked = models::openai::parse_request(json::parse(R"({"messages":[
      {"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"t","arguments":""}}]}]})"));
  ASSERT_TRUE(asked) << asked.error().message;
  const auto wire = models::openai::to_wire(*asked, {.provider = "local"});
  EXPECT_EQ(wire.at("messages").at(0).at("tool_calls").at(0).at("function").at("arguments"), "{}");
}

TEST(BlankConversations, AreRefusedWhereVendorsDo) {
  using models::Role;
  models::ChatRequest request{.messages = {{.role = Role::system, .content = " "}, {.role = Role::assistant}}};
  EXPECT_THAT(models::google::cannot(request).value_or(""), HasSubstr("messages must have content"));
  request.messages.pop_back();
  EXPECT_THAT(models::anthropic::cannot(request).value_or(""), HasSubstr("messages must have content"));
  request.messages[0].content = "Be brief.";
  EXPECT_FALSE(models::anthropic::cannot(request));
  EXPECT_FALSE(models::google::cannot(request));
}

TEST(RepairedSchemas, AreObjects) {
  EXPECT_EQ(json::value(models::completed_schema(json::object())), json::parse(R"({"type":"object","properties":{}})"));
  EXPECT_EQ(json::value(models::completed_schema(json::parse(R"({"type":["null","object"]})"))),
            json::parse(R"({"type":"object","properties":{}})"));
  EXPECT_EQ(json::value(models::completed_schema(json::parse(
                R"({"$ref":"#/$defs/x","$defs":{"x":{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}}})"))),
            json::parse(R"({"$defs":{"x":{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}},
                            "type":"object","properties":{"a":{"$ref":"#/$defs/x"}}})"));
  // A reference to itself ends.
  EXPECT_EQ(
      models::completed_schema(json::parse(R"({"$ref":"#/$defs/x","$defs":{"x":{"$ref":"#/$defs/x"}}})")).at("type"),
      "object");
  std::string description = "Does.";
  const auto flat = models::flat_schema(
      json::parse(R"({"anyOf":[{"properties":{"a":{"type":"string"},"c":{"type":"string"}},"required":["a","c"]},
                               {"properties":{"b":{"type":"string"}},"required":["b","c"]}]})"),
      description);
  EXPECT_EQ(json::value(flat), json::parse(R"({"type":"object","properties":{"a":{"type":"string"},
      "c":{"type":"string"},"b":{"type":"string"}},"required":["c"]})"));
  EXPECT_THAT(description, HasSubstr("anyOf"));
}

TEST(RepairedMessages, SayNothingBlankToClaude) {
  using models::Role;
  models::ChatRequest request{.model = "claude-sonnet-4-5",
                              .messages = {{.role = Role::system, .content = " "},
                                           {.role = Role::user, .content = "?"},
                                           {.role = Role::assistant, .content = ""},
                                           {.role = Role::user, .content = "!"},
                                           {.role = Role::assistant, .content = "So: \n"}},
                              .max_tokens = 10,
                              .stop = {"\n", "END"}};
  const auto wire = json::value(models::anthropic::to_wire(request));
  EXPECT_FALSE(wire.as_object().contains("system"));
  EXPECT_EQ(wire.at("stop_sequences"), json::parse(R"(["END"])"));
  EXPECT_EQ(wire.at("messages"), json::parse(R"([
    {"role":"user","content":[{"type":"text","text":"?"},{"type":"text","text":"!"}]},
    {"role":"assistant","content":[{"type":"text","text":"So:"}]}])"));
}

TEST(AcceptedRequests, AreThoseThatServersAccept) {
  const auto sent = [](const char* members) {
    const auto asked = models::openai::parse_request(json::parse(
        R"({"messages":[{"role":"system","content":""},{"role":"user","content":"?"},
            {"role":"assistant","content":"","tool_calls":[]},
            {"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"t","arguments":{"x":1}}}]},
            {"role":"tool","tool_call_id":"a"}])" +
        std::string(members) + "}"));
    EXPECT_TRUE(asked) << members << asked.error().message;
    return asked ? json::value(models::openai::to_wire(*asked, {.provider = "local"})) : json::value();
  };
  EXPECT_EQ(sent("").at("messages").at(3).at("tool_calls").at(0).at("function").at("arguments"), R"({"x":1})");
  for (const auto* effort : {"none", "minimal", "low", "medium", "high", "xhigh"})
    EXPECT_EQ(sent((R"(,"reasoning_effort":")" + std::string(effort) + "\"").c_str()).at("reasoning_effort"), effort);
  EXPECT_EQ(sent(R"(,"verbosity":"low","prompt_cache_retention":"24h","modalities":["text"])").at("verbosity"), "low");
  EXPECT_FALSE(sent(R"(,"top_logprobs":0,"logprobs":false,"stop":["",""])").as_object().contains("stop"));
  EXPECT_EQ(sent(R"(,"top_k":40,"min_p":0.1,"chat_template_kwargs":{"enable_thinking":false},"keep_alive":"5m")")
                .at("chat_template_kwargs")
                .at("enable_thinking"),
            false);
}

TEST(ImagesOfResults, FollowTheResultsInOpenaisForm) {
  using models::Role;
  const models::Part image{.url = "data:image/png;base64,AAAA", .kind = models::PartKind::image};
  const models::ChatRequest request{
      .messages = {{.role = Role::user, .content = "?"},
                   {.role = Role::assistant, .tool_calls = {{.id = "a", .name = "t"}, {.id = "b", .name = "t"}}},
                   {.role = Role::tool, .content = "1", .tool_call_id = "a", .parts = {{.text = "1"}, image}},
                   {.role = Role::tool, .content = "2", .tool_call_id = "b"}}};
  const auto wire = models::openai::to_wire(request, {.provider = "local"});
  const auto& messages = wire.at("messages").as_array();
  ASSERT_THAT(messages, SizeIs(5));
  EXPECT_EQ(messages[2].at("content"), "1");
  EXPECT_EQ(messages[4].at("role"), "user");
  EXPECT_EQ(messages[4].at("content").at(1).at("image_url").at("url"), image.url.c_str());
}

TEST(AcceptedRequests, HaveImagesAndFilesWithinTheAddressFilter) {
  const auto accepts = [](const std::string& part) {
    return models::openai::parse_request(json::parse(R"({"messages":[{"role":"user","content":[)" + part + "]}]}"))
        .has_value();
  };
  const auto image = [](const std::string& url) {
    return R"({"type":"image_url","image_url":{"url":")" + url + R"("}})";
  };
  EXPECT_TRUE(accepts(image("http://pictures.example/a.png")));
  for (const auto* url : {"http://127.0.0.1/a", "http://10.0.0.1/a", "http://localhost/a", "http://[::1]/a",
                          "http://intranet/a", "ftp://pictures.example/a"})
    EXPECT_FALSE(accepts(image(url))) << url;
  EXPECT_TRUE(accepts(R"({"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}})"));
  EXPECT_TRUE(accepts(R"({"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA","filename":"a.pdf"}})"));
  EXPECT_FALSE(accepts(R"({"type":"file","file":{"file_id":"file-1"}})"));
}

TEST(Repair, AConversationThatBeginsWithAnAnswerGetsANoteInFrontForGemini) {
  const models::ChatRequest request{
      .model = "gemini-3-pro",
      .messages = {{.role = models::Role::assistant,
                    .content = "I look.",
                    .tool_calls = {{.id = "call_1", .name = "look", .arguments = R"({"at":"it"})"}}},
                   {.role = models::Role::tool, .content = "a lighthouse", .tool_call_id = "call_1"}}};
  const auto wire = models::google::to_wire(request);
  const auto& contents = wire.at("contents").as_array();
  ASSERT_EQ(contents.size(), 3U);
  EXPECT_EQ(contents.at(0).at("role"), "user");
  EXPECT_EQ(contents.at(0).at("parts").at(0).at("text"), "(The begin of the conversation is not shown.)");
  EXPECT_EQ(contents.at(1).at("role"), "model");
}

}  // namespace repair_test
