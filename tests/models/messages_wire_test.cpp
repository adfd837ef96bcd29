#include "appliance/models/messages_api/messages_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "appliance/models/media_api/handlers.h"

namespace messages_wire_test {

namespace json = boost::json;
using models::ChatAnswer, models::Finish, models::Role;
using testing::HasSubstr;

web::Result<models::ChatRequest> parse(std::string_view members) {
  const auto text = R"({"model":"m","max_tokens":9,)" + std::string(members) + "}";
  return models::messages::parse_request(json::parse(text).as_object());
}

TEST(Messages, ResultsOfToolsComeBeforeTheWordsAfterThem) {
  const auto request = parse(R"("system":"Be brief.","messages":[
    {"role":"user","content":"Look."},
    {"role":"assistant","content":[{"type":"text","text":"I "},{"type":"text","text":"look."},
      {"type":"tool_use","id":"a","name":"see","input":{"at":1}},{"type":"tool_use","id":"b","name":"see","input":{}}]},
    {"role":"user","content":[
      {"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"a rock"},
        {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},
      {"type":"tool_result","tool_use_id":"b","is_error":true,"content":"fog"},
      {"type":"text","text":"Well?"}]}])");
  ASSERT_TRUE(request) << request.error().message;
  const auto& messages = request->messages;
  ASSERT_EQ(messages.size(), 6U);
  EXPECT_EQ(messages[0].role, Role::system);
  EXPECT_EQ(messages[2].content, "I look.");
  EXPECT_EQ(messages[2].tool_calls[0].arguments, R"({"at":1})");
  EXPECT_EQ(messages[3].tool_call_id, "a");
  ASSERT_EQ(messages[3].parts.size(), 2U);
  EXPECT_EQ(messages[3].parts[1].url, "data:image/png;base64,AAAA");
  EXPECT_EQ(messages[4].content, "Error:\nfog");
  EXPECT_EQ(messages[5].content, "Well?");
}

TEST(Messages, DocumentsAreTextOrFiles) {
  const auto request = parse(R"("messages":[{"role":"user","content":[
    {"type":"document","title":"Log","source":{"type":"text","media_type":"text/plain","data":"calm"}},
    {"type":"document","title":"Chart","source":{"type":"base64","media_type":"application/pdf","data":"AAAA"}}]}])");
  ASSERT_TRUE(request) << request.error().message;
  const auto& message = request->messages.front();
  EXPECT_EQ(message.content, "Log\n\ncalm");
  ASSERT_EQ(message.parts.size(), 2U);
  EXPECT_EQ(message.parts[1].kind, models::PartKind::file);
  EXPECT_EQ(message.parts[1].name, "Chart");
}

TEST(Messages, ReasoningFindsTheWayBackToItsProvider) {
  const models::Reasoning others[]{
      {.provider = "anthropic", .text = "hm", .signature = "sig:1"},
      {.provider = "openrouter", .text = "hm", .signature = "s", .id = "r1", .format = "anthropic-claude-v1"},
      {.provider = "openai", .sealed = "gAAA:x", .id = "rs_1", .is_summary = true},
  };
  for (const auto& reasoning : others) {
    ChatAnswer answer{.message = {.role = Role::assistant, .content = "Yes."}};
    answer.message.reasoning.push_back(reasoning);
    const auto content = models::messages::to_wire(answer).at("content");
    const auto request = parse(R"("messages":[{"role":"user","content":"?"},{"role":"assistant","content":)" +
                               json::serialize(content) + R"(},{"role":"user","content":"Sure?"}])");
    ASSERT_TRUE(request) << request.error().message;
    ASSERT_EQ(request->messages[1].reasoning.size(), 1U);
    const auto& back = request->messages[1].reasoning[0];
    EXPECT_EQ(back.provider, reasoning.provider);
    EXPECT_EQ(back.text, reasoning.text);
    EXPECT_EQ(back.signature, reasoning.signature);
    EXPECT_EQ(back.sealed, reasoning.sealed);
    EXPECT_EQ(back.id, reasoning.id);
    EXPECT_EQ(back.format, reasoning.format);
  }
}

TEST(Messages, SignaturesOfCallsTravelAsRedactedThinking) {
  ChatAnswer answer{.message = {.role = Role::assistant}, .finish = Finish::tool_calls};
  answer.message.tool_calls.push_back(
      {.id = "c1", .name = "see", .arguments = "{}", .signature = "a:b/c", .signed_by = "google"});
  const auto content = models::messages::to_wire(answer).at("content");
  const auto request =
      parse(R"("messages":[{"role":"user","content":"?"},{"role":"assistant","content":)" + json::serialize(content) +
            R"(},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"}]}])");
  ASSERT_TRUE(request) << request.error().message;
  const auto& call = request->messages[1].tool_calls.at(0);
  EXPECT_EQ(call.signature, "a:b/c");
  EXPECT_EQ(call.signed_by, "google");
  EXPECT_TRUE(request->messages[1].reasoning.empty());
  EXPECT_EQ(request->messages[2].content, "(no output)");
}

TEST(Messages, StreamsOpenAndCloseEachBlockOnce) {
  models::messages::Output output("m");
  auto text = output.begin();
  const auto take = [&](models::AnswerPiece piece) { text += output.take(piece); };
  take({.block = 0, .reasoning = {.provider = "anthropic", .text = "h"}});
  take({.block = 0, .reasoning = {.provider = "anthropic", .text = "m"}});
  take({.block = 0, .reasoning = {.provider = "anthropic", .signature = "sig"}});
  take({.text = "I look."});
  take({.call = 0, .id = "a", .name = "see"});
  take({.call = 1, .id = "b", .name = "see", .arguments = "{"});
  take({.call = 0, .arguments = R"({"at":1})"});
  take({.call = 1, .arguments = "}"});
  ChatAnswer answer{.finish = Finish::tool_calls};
  answer.usage = {.input = 10, .output = 5, .cached = 4};
  text += output.finish(answer);
  std::map<int, std::string> opened;
  std::map<int, int> closed;
  std::string arguments[4];
  for (std::size_t at = text.find("data: "); at != text.npos; at = text.find("data: ", at + 1)) {
    const auto event = json::parse(text.substr(at + 6, text.find('\n', at) - at - 6)).as_object();
    const auto& type = event.at("type").as_string();
    if (type == "content_block_start")
      opened[static_cast<int>(event.at("index").as_int64())] = event.at("content_block").at("type").as_string();
    if (type == "content_block_stop") ++closed[static_cast<int>(event.at("index").as_int64())];
    if (type == "content_block_delta" && event.at("delta").at("type") == "input_json_delta")
      arguments[event.at("index").as_int64()] += event.at("delta").at("partial_json").as_string();
    if (type == "message_delta") {
      EXPECT_EQ(event.at("delta").at("stop_reason"), "tool_use");
      EXPECT_EQ(event.at("usage").at("input_tokens"), 6);
      EXPECT_EQ(event.at("usage").at("cache_read_input_tokens"), 4);
    }
  }
  EXPECT_EQ(opened, (std::map<int, std::string>{{0, "thinking"}, {1, "text"}, {2, "tool_use"}, {3, "tool_use"}}));
  EXPECT_EQ(closed, (std::map<int, int>{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
  EXPECT_EQ(arguments[2], R"({"at":1})");
  EXPECT_EQ(arguments[3], "{}");
  EXPECT_THAT(text, HasSubstr("event: message_stop\n"));
}

TEST(Messages, ThinkingIsAnEffort) {
  const auto effort_of = [](std::string_view members) {
    const auto request = parse(std::string(members) + R"(,"messages":[{"role":"user","content":"?"}])");
    const auto* effort = request ? request->options.if_contains("reasoning_effort") : nullptr;
    return effort ? std::string(effort->as_string()) : std::string(request ? "" : request.error().message);
  };
  EXPECT_EQ(effort_of(R"("thinking":{"type":"enabled","budget_tokens":1024})"), "low");
  EXPECT_EQ(effort_of(R"("thinking":{"type":"enabled","budget_tokens":16000})"), "medium");
  EXPECT_EQ(effort_of(R"("thinking":{"type":"enabled","budget_tokens":31999})"), "high");
  EXPECT_EQ(effort_of(R"("thinking":{"type":"adaptive"},"output_config":{"effort":"max"})"), "xhigh");
  EXPECT_EQ(effort_of(R"("thinking":{"type":"disabled"},"output_config":{"effort":"low"})"), "");
  EXPECT_THAT(effort_of(R"("thinking":{"type":"enabled"})"), HasSubstr("thinking.budget_tokens"));
}

TEST(FormField, IsFoundByItsName) {
  const std::string body =
      "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"model\"\r\n\r\n\x01\r\n"
      "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nwhisper-1\r\n--b--\r\n";
  const auto field = [&](const char* type, const char* name) {
    return models::media_api::form_field(type, body, name);
  };
  EXPECT_EQ(field("multipart/form-data; boundary=b", "model"), "whisper-1");
  EXPECT_EQ(field("Multipart/Form-Data; boundary=\"b\"; charset=utf-8", "model"), "whisper-1");
  EXPECT_EQ(field("multipart/form-data; boundary=b", "language"), std::nullopt);
  EXPECT_EQ(field("multipart/form-data", "model"), std::nullopt);
  EXPECT_EQ(field("application/json; boundary=b", "model"), std::nullopt);
}

TEST(FormField, IsNoneThatAnotherReaderCouldFindElsewhere) {
  const auto part = [](const std::string& disposition, const std::string& value) {
    return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + value + "\r\n";
  };
  const auto model = part("name=\"model\"", "cheap");
  const auto of = [](const std::string& body, const std::string& type = "multipart/form-data; boundary=b") {
    return models::media_api::form_field(type, body, "model");
  };
  EXPECT_EQ(of(model + "--b--\r\n"), "cheap");
  EXPECT_EQ(of(part("name=\"file\"; filename=\"my name=x.mp3\"", "\x01") + model + "--b--\r\n"), std::nullopt);
  for (const auto* other : {"name=\"model\"", "name=model", "NAME=\"model\"", "name =\"model\"", "name*=utf-8''model",
                            "name=\"x\"; name=\"model\"", "name=\"mod\\el\""})
    EXPECT_EQ(of(model + part(other, "dear") + "--b--\r\n"), std::nullopt) << other;
  EXPECT_EQ(of(part("name=\"prompt\"", "x--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\ncheap") +
               part("name=\"model\"", "dear") + "--b--\r\n"),
            "dear");
  EXPECT_EQ(of("preamble\r\n" + model + "--b--\r\n"), std::nullopt);
  EXPECT_EQ(of(model), std::nullopt) << "it has no end";
  EXPECT_EQ(of(model + "--b--\r\n", "multipart/form-data; xboundary=c; boundary=b"), "cheap");
  for (const auto* type : {"multipart/form-data; boundary=b; boundary=c", "multipart/form-data; boundary =b",
                           "multipart/form-data; boundary*=utf-8''b; boundary=b", "multipart/form-data; boundary=\"b"})
    EXPECT_EQ(of(model + "--b--\r\n", type), std::nullopt) << type;
}

}  // namespace messages_wire_test
