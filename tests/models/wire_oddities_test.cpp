// What today's servers send besides the published forms, and what vendors refuse: one row for each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "appliance/models/providers/anthropic_wire.h"
#include "appliance/models/providers/claude_rules.h"
#include "appliance/models/providers/google_wire.h"
#include "appliance/models/providers/openai_chunks.h"
#include "appliance/models/providers/openai_stream.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/repair.h"
#include "appliance/models/providers/responses_wire.h"
#include "appliance/models/providers/text_joiner.h"
#include "web/routes/reply.h"

namespace wire_oddities_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
namespace json = boost::json;

struct Silent final : models::Listener {
  void text(std::string_view) override {}
  void call(std::size_t, std::string_view, std::string_view, std::string_view) override {}
};

// What a client of the box makes of the pieces, by the chunks that it gets.
struct Client final : models::Listener {
  void text(std::string_view piece) override { read({.text = std::string(piece)}); }
  void call(std::size_t index, std::string_view id, std::string_view name, std::string_view arguments) override {
    read({.call = index, .id = std::string(id), .name = std::string(name), .arguments = std::string(arguments)});
  }
  void other(const models::AnswerPiece& piece) override { read(piece); }
  void read(const models::AnswerPiece& piece) { EXPECT_TRUE(stream.event(chunks.piece(piece))); }
  // The gateway names the provider of an answer.
  models::ChatAnswer take(models::ChatAnswer answer) {
    for (auto& block : answer.message.reasoning) block.provider = "here";
    EXPECT_TRUE(stream.event(chunks.end(answer)));
    return stream.take({});
  }

  const models::openai::Chunks chunks{"i", "m"};
  Silent silent;
  models::openai::AnswerStream stream{silent};
};

template <class Stream>
models::ChatAnswer read(const std::vector<std::string>& events, models::Listener& listener) {
  Stream stream(listener);
  for (const auto& event : events)
    if (!stream.event(event)) break;
  EXPECT_FALSE(stream.reported_error()) << stream.reported_error()->message;
  return stream.take({});
}

// Chunks of OpenAI's form with these deltas, then a finish.
std::vector<std::string> chunks_of(const std::vector<std::string>& deltas, const std::string& finish = "stop") {
  std::vector<std::string> events;
  for (const auto& delta : deltas) events.push_back(R"({"choices":[{"index":0,"delta":)" + delta + "}]}");
  events.push_back(R"({"choices":[{"index":0,"delta":{},"finish_reason":")" + finish + R"("}]})");
  return events;
}

std::string calls_in(const models::Message& message) {
  std::string text;
  for (const auto& call : message.tool_calls)
    text += call.name + call.arguments + (call.malformed ? "!" : "") + (call.id.empty() ? "?" : "") + ";";
  return text;
}

models::ChatAnswer openai_stream(const std::vector<std::string>& deltas, const std::string& finish = "stop") {
  Client client;
  auto answer = read<models::openai::AnswerStream>(chunks_of(deltas, finish), client);
  for (auto& block : answer.message.reasoning) block.provider = "here";
  const auto received = client.take(answer);
  EXPECT_EQ(received.message.content, answer.message.content) << "the client gets the same";
  EXPECT_EQ(calls_in(received.message), calls_in(answer.message)) << "the client gets the same";
  EXPECT_EQ(web::to_json(received.message).at("reasoning"), web::to_json(answer.message).at("reasoning"));
  return answer;
}

struct CallRow {
  const char* what;
  std::vector<std::string> deltas;
  const char* calls;
};
class StreamedCalls : public testing::TestWithParam<CallRow> {};

TEST_P(StreamedCalls, StayApart) {
  const auto answer = openai_stream(GetParam().deltas);
  EXPECT_EQ(calls_in(answer.message), GetParam().calls);
  std::set<std::string> ids;
  for (const auto& call : answer.message.tool_calls) ids.insert(call.id);
  EXPECT_THAT(ids, SizeIs(answer.message.tool_calls.size())) << "each has an id of its own";
}

INSTANTIATE_TEST_SUITE_P(
    Servers, StreamedCalls,
    testing::Values(
        CallRow{"without_index",
                {R"({"tool_calls":[{"id":"a","function":{"name":"read","arguments":"{\"p\":1}"}}]})",
                 R"({"tool_calls":[{"id":"b","function":{"name":"read","arguments":"{\"p\""}}]})",
                 R"({"tool_calls":[{"function":{"arguments":":2}"}}]})"},
                R"(read{"p":1};read{"p":2};)"},
        CallRow{"index_0_for_each",
                {R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\":1}"}}]})",
                 R"({"tool_calls":[{"index":0,"id":"b","function":{"name":"read","arguments":"{\"p\":2}"}}]})"},
                R"(read{"p":1};read{"p":2};)"},
        CallRow{"index_0_without_ids",
                {R"({"tool_calls":[{"index":0,"function":{"name":"read","arguments":"{\"p\":1}"}}]})",
                 R"({"tool_calls":[{"index":0,"function":{"name":"read","arguments":"{\"p\":2}"}}]})"},
                R"(read{"p":1};read{"p":2};)"},
        CallRow{
            "several_in_one_delta",
            {R"({"tool_calls":[{"function":{"name":"a","arguments":"{}"}},{"function":{"name":"b","arguments":"{}"}}]})"},
            "a{};b{};"},
        CallRow{"first_index_1",
                {R"({"tool_calls":[{"index":1,"id":"a","function":{"name":"read","arguments":""}}]})",
                 R"({"tool_calls":[{"index":1,"function":{"arguments":"{\"p\":1}"}}]})",
                 R"({"tool_calls":[{"index":2,"id":"b","function":{"name":"read","arguments":"{\"p\":2}"}}]})"},
                R"(read{"p":1};read{"p":2};)"},
        CallRow{"the_same_id_with_another_index",
                {R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\":1}"}}]})",
                 R"({"tool_calls":[{"index":1,"id":"a","function":{"name":"read","arguments":"{\"p\":2}"}}]})"},
                R"(read{"p":1};read{"p":2};)"},
        CallRow{"id_and_name_repeated",
                {R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\""}}]})",
                 R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":":1}"}}]})"},
                R"(read{"p":1};)"},
        CallRow{"interleaved",
                {R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"p\""}}]})",
                 R"({"tool_calls":[{"index":1,"id":"b","function":{"name":"y","arguments":"{\"q\""}}]})",
                 R"({"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]})",
                 R"({"tool_calls":[{"index":1,"function":{"arguments":":2}"}}]})"},
                R"(x{"p":1};y{"q":2};)"},
        CallRow{"arguments_as_an_object",
                {R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":{"p":1}}}]})"},
                R"(read{"p":1};)"},
        CallRow{"no_arguments", {R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"now"}}]})"}, "now{};"},
        CallRow{"null_arguments",
                {R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"now","arguments":null}}]})"},
                "now{};"},
        CallRow{
            "old_function_call",
            {R"({"function_call":{"name":"read","arguments":"{\"p\""}})", R"({"function_call":{"arguments":":1}"}})"},
            R"(read{"p":1};)"}),
    [](const auto& one) { return std::string(one.param.what); });

struct FinishRow {
  const char *finish, *arguments;
  models::Finish expected;
};

TEST(CutOffAnswers, SaySo) {
  for (const auto& [finish, arguments, expected] :
       {FinishRow{"length", R"({\"p)", models::Finish::length}, FinishRow{"length", "{}", models::Finish::length},
        FinishRow{"content_filter", "{}", models::Finish::content_filter},
        FinishRow{"stop", "{}", models::Finish::tool_calls},
        FinishRow{"tool_calls", "{}", models::Finish::tool_calls}}) {
    const auto delta = R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"t","arguments":")" +
                       std::string(arguments) + R"("}}]})";
    EXPECT_EQ(openai_stream({delta}, finish).finish, expected) << finish;
  }
  const auto claude = models::anthropic::parse_answer(
      R"({"content":[{"type":"tool_use","id":"a","name":"t","input":{}}],"stop_reason":"max_tokens"})", {});
  EXPECT_EQ(claude->finish, models::Finish::length);
  const auto gemini = models::google::parse_answer(
      R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"t"}}]},"finishReason":"MAX_TOKENS"}]})", {});
  EXPECT_EQ(gemini->finish, models::Finish::length);
  EXPECT_EQ(calls_in(gemini->message), "t{};");
}

TEST(CutOffAnswers, OfGeminiWithABrokenCallAreErrors) {
  for (const std::string reason : {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"}) {
    const auto body = R"({"candidates":[{"content":{},"finishMessage":"print x","finishReason":")" + reason + R"("}]})";
    const auto whole = models::google::parse_answer(body, {});
    ASSERT_FALSE(whole);
    EXPECT_EQ(whole.error().code, models::malformed_call);
    EXPECT_THAT(whole.error().message, HasSubstr(reason + ": print x"));
    Silent silent;
    models::google::AnswerStream stream(silent);
    EXPECT_FALSE(stream.event(body));
    EXPECT_EQ(stream.reported_error()->type, models::malformed_call);
  }
}

struct ReasoningRow {
  const char *what, *delta, *text, *format, *signature, *sealed;
};
class StreamedReasoning : public testing::TestWithParam<ReasoningRow> {};

TEST_P(StreamedReasoning, ReachesTheClientAndGoesBackInItsForm) {
  const auto& row = GetParam();
  auto answer = openai_stream({row.delta, R"({"content":"So."})"});
  ASSERT_THAT(answer.message.reasoning, SizeIs(1));
  auto& block = answer.message.reasoning[0];
  EXPECT_EQ(block.text, row.text);
  EXPECT_EQ(block.format, row.format);
  EXPECT_EQ(block.signature, row.signature);
  EXPECT_EQ(block.sealed, row.sealed);
  EXPECT_EQ(answer.message.content, "So.");
  const auto whole = models::openai::parse_answer(
      R"({"choices":[{"message":)" + std::string(row.delta) + R"(,"finish_reason":"stop"}]})", {});
  ASSERT_THAT(whole->message.reasoning, SizeIs(1));
  EXPECT_EQ(whole->message.reasoning[0].text, row.text);

  // From a client that keeps all members, to its server and to another one.
  block.provider = "here";
  const auto shown = models::openai::to_wire(answer).at("choices").at(0).at("message");
  const auto asked = models::openai::parse_request(json::object{{"messages", json::array{shown}}});
  ASSERT_TRUE(asked) << asked.error().message;
  const auto sent = json::serialize(models::openai::to_wire(*asked, {.provider = "here"}));
  for (const std::string member : {row.text, row.signature, row.sealed}) EXPECT_THAT(sent, HasSubstr(member));
  EXPECT_THAT(sent, HasSubstr(row.format));
  const auto elsewhere = json::serialize(models::openai::to_wire(*asked, {.provider = "there"}));
  EXPECT_THAT(elsewhere, Not(HasSubstr("reasoning"))) << "another provider gets none";
  EXPECT_THAT(elsewhere, Not(HasSubstr("thinking")));
}

INSTANTIATE_TEST_SUITE_P(
    Servers, StreamedReasoning,
    testing::Values(
        ReasoningRow{"deepseek", R"({"reasoning_content":"Hm."})", "Hm.", "reasoning_content", "", ""},
        ReasoningRow{"vllm", R"({"reasoning":"Hm."})", "Hm.", "reasoning", "", ""},
        ReasoningRow{"mistral", R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}]})", "Hm.",
                     "thinking", "", ""},
        ReasoningRow{
            "openrouter",
            R"({"reasoning":"Hm.","reasoning_details":[{"type":"reasoning.text","text":"Hm.","signature":"SIG",)"
            R"("format":"anthropic-claude-v1","index":0}]})",
            "Hm.", "anthropic-claude-v1", "SIG", ""},
        ReasoningRow{"openrouter_sealed",
                     R"({"reasoning_details":[{"type":"reasoning.encrypted","data":"SEALED","id":"rs_1",)"
                     R"("format":"openai-responses-v1","index":0}]})",
                     "", "openai-responses-v1", "", "SEALED"}),
    [](const auto& one) { return std::string(one.param.what); });

TEST(Reasoning, OfUnknownOriginIsSentInTheFormOfTheServer) {
  const auto asked = models::openai::parse_request(
      json::parse(R"({"messages":[{"role":"assistant","content":"So.","reasoning_content":"Hm."}]})"));
  ASSERT_TRUE(asked);
  const auto sent = [&](models::openai::Dialect dialect) {
    return models::openai::to_wire(*asked, dialect).at("messages").at(0);
  };
  EXPECT_EQ(sent({.provider = "local"}).at("reasoning_content"), "Hm.");
  // The client has named the form that it uses, which is the server's.
  EXPECT_FALSE(sent({.provider = "openai", .reasoning = {}}).as_object().contains("reasoning_content"));
}

TEST(Reasoning, OfClaudeGoesBackToClaudeOnly) {
  const std::vector<std::string> events{
      R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"."}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"SIG"}})",
      R"({"type":"content_block_stop","index":0})",
      R"({"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"SEALED"}})",
      R"({"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"t","input":{"a":1}}})",
      R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}})",
      R"({"type":"message_stop"})"};
  Client client;
  auto answer = read<models::anthropic::AnswerStream>(events, client);
  const auto received = client.take(answer).message;
  ASSERT_THAT(received.reasoning, SizeIs(2));
  EXPECT_EQ(received.reasoning[0].text, "Hm.");
  EXPECT_EQ(received.reasoning[0].signature, "SIG");
  EXPECT_EQ(received.reasoning[1].sealed, "SEALED");
  EXPECT_EQ(calls_in(received), R"(t{"a":1};)") << "the input that was given whole";

  models::ChatRequest next{.model = "claude-sonnet-4-5", .messages = {{.role = models::Role::user, .content = "?"}}};
  next.messages.push_back(answer.message);
  next.max_tokens = 10'000;
  next.options["reasoning_effort"] = "low";
  const auto wire = models::anthropic::to_wire(next);
  EXPECT_EQ(wire.at("thinking"), json::parse(R"({"type":"enabled","budget_tokens":2048})"));
  EXPECT_EQ(wire.at("messages").at(1).at("content"),
            json::parse(R"([{"type":"thinking","thinking":"Hm.","signature":"SIG"},
                            {"type":"redacted_thinking","data":"SEALED"},
                            {"type":"tool_use","id":"toolu_1","name":"t","input":{"a":1}}])"));
  EXPECT_EQ(wire.at("messages").at(2).at("content").at(0).at("content").as_string(), models::missing_result_note);

  next.messages[1].reasoning.clear();
  EXPECT_FALSE(models::anthropic::to_wire(next).contains("thinking")) << "the turn has begun without thinking";
}

TEST(Reasoning, OfGeminiIsInItsCalls) {
  const std::vector<std::string> events{
      R"({"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true}]}}]})",
      R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":{}},"thoughtSignature":"SIG"},
          {"functionCall":{"name":"b","args":{}}}]},"finishReason":"STOP"}]})"};
  Client client;
  auto answer = read<models::google::AnswerStream>(events, client);
  const auto received = client.take(answer).message;
  ASSERT_THAT(received.tool_calls, SizeIs(2));
  EXPECT_EQ(received.tool_calls[0].signature, "SIG");
  EXPECT_EQ(received.reasoning.at(0).text, "Hm.");

  models::ChatRequest next{.model = "gemini-3-pro", .messages = {{.role = models::Role::user, .content = "?"}}};
  next.messages.push_back(answer.message);
  const auto signatures = [&] {
    std::string found;
    const auto wire = models::google::to_wire(next);
    for (const auto& part : wire.at("contents").at(1).at("parts").as_array())
      found +=
          std::string(part.as_object().contains("thoughtSignature") ? part.at("thoughtSignature").as_string().c_str()
                                                                    : "none") +
          ";";
    return found;
  };
  EXPECT_EQ(signatures(), "SIG;none;");
  next.messages[1].tool_calls[0].signed_by = "openrouter";
  EXPECT_EQ(signatures(), "skip_thought_signature_validator;none;");
}

TEST(Claude, IsAskedAsItsGenerationWantsIt) {
  EXPECT_EQ(models::anthropic::generation_of("claude-3-5-haiku-20241022"), 305);
  EXPECT_EQ(models::anthropic::generation_of("claude-sonnet-4-20250514"), 400);
  EXPECT_EQ(models::anthropic::generation_of("claude-opus-4-7"), 407);
  EXPECT_EQ(models::anthropic::generation_of("claude-opus-5"), 500);
  models::ChatRequest request{.messages = {{.role = models::Role::user, .content = "?"}},
                              .temperature = 0.5,
                              .top_p = 0.9,
                              .max_tokens = 4'000};
  const auto asked = [&](const char* model, const char* effort) {
    request.model = model;
    request.options["reasoning_effort"] = effort;
    auto wire = models::anthropic::to_wire(request);
    json::object chosen;
    for (const auto* name : {"thinking", "output_config", "temperature", "top_p"})
      if (wire.contains(name)) chosen[name] = wire[name];
    return json::value(chosen);
  };
  EXPECT_EQ(asked("claude-3-5-haiku-20241022", "high"), json::parse(R"({"temperature":0.5})"));
  EXPECT_EQ(asked("claude-sonnet-4-5", "none"), json::parse(R"({"temperature":0.5})"));
  EXPECT_EQ(asked("claude-sonnet-4-5", "high"), json::parse(R"({"thinking":{"type":"enabled","budget_tokens":3488}})"));
  EXPECT_EQ(
      asked("claude-opus-4-6", "xhigh"),
      json::parse(R"({"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}})"));
  EXPECT_EQ(asked("claude-opus-4-7", "minimal"),
            json::parse(R"({"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}})"));
  EXPECT_EQ(asked("claude-opus-4-7", "none"), json::parse("{}"));
}

TEST(Claude, GetsMarksForItsCache) {
  models::ChatRequest request{.model = "claude-x",
                              .messages = {{.role = models::Role::system, .content = "Be brief."},
                                           {.role = models::Role::user, .content = "1"},
                                           {.role = models::Role::assistant, .content = "2"},
                                           {.role = models::Role::user, .content = "3"}},
                              .max_tokens = 100};
  request.tools = {{.name = "t", .description = "Does.", .parameters = json::object()}};
  EXPECT_THAT(json::serialize(models::anthropic::to_wire(request)), Not(HasSubstr("cache_control")));
  request.is_cached = true;
  const auto wire = models::anthropic::to_wire(request);
  for (const auto* place : {"/tools/0", "/system/0", "/messages/0/content/0", "/messages/2/content/0"})
    EXPECT_EQ(json::value(wire).at_pointer(std::string(place) + "/cache_control/type"), "ephemeral") << place;
}

TEST(Claude, AnswersInJsonByACall) {
  models::ChatRequest request{.messages = {{.role = models::Role::user, .content = "?"}}, .max_tokens = 100};
  request.options["response_format"] = json::parse(
      R"({"type":"json_schema","json_schema":{"name":"n","schema":{"properties":{"x":{"type":"number"}}}}})");
  EXPECT_FALSE(models::anthropic::cannot(request));
  const auto wire = models::anthropic::to_wire(request);
  EXPECT_EQ(wire.at("tool_choice").at("type"), "tool");
  EXPECT_EQ(wire.at("tools").at(0).at("input_schema").at("type"), "object");
  Client client;
  const auto answer = read<models::anthropic::AnswerStream>(
      {R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"answer_in_json","input":{}}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"x\":1}"}})",
       R"({"type":"message_delta","delta":{"stop_reason":"tool_use"}})", R"({"type":"message_stop"})"},
      client);
  EXPECT_EQ(answer.message.content, R"({"x":1})");
  EXPECT_EQ(answer.finish, models::Finish::stop);
}

TEST(OddChunks, DoNotCostTheAnswer) {
  EXPECT_EQ(
      openai_stream({R"({"content":[{"type":"text","text":"Hel"},{"type":"text","text":"lo"}]})"}).message.content,
      "Hello");
  EXPECT_EQ(openai_stream({R"({"content":"a\ud83d"})", R"({"content":"\ude00b"})"}).message.content,
            "a\xF0\x9F\x98\x80"
            "b");
  EXPECT_EQ(openai_stream({R"({"content":"a\ud83d"})", R"({"content":"b"})"}).message.content,
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(openai_stream({R"({"content":"a\ud83d"})"}).message.content, "a\xEF\xBF\xBD");
  EXPECT_EQ(openai_stream({"{\"content\":\"a\xF0\x9F\"}", "{\"content\":\"\x98\x80\"}"}).message.content,
            "a\xF0\x9F\x98\x80");
  EXPECT_EQ(openai_stream({"{\"content\":\"a\xFF\"}"}).message.content, "a\xEF\xBF\xBD");
  const auto rich = openai_stream(
      {R"({"refusal":"No."})", R"({"images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]})",
       R"({"annotations":[{"type":"url_citation","url_citation":{"url":"https://x.example"}}]})",
       R"({"audio":{"id":"au","data":"QUFB"}})"});
  EXPECT_EQ(rich.message.refusal, "No.");
  EXPECT_THAT(rich.message.parts, SizeIs(2));
  EXPECT_THAT(rich.message.annotations, SizeIs(1));
}

TEST(OddChunks, WithAnErrorAreErrorsInTheProvidersWords) {
  for (const std::string body :
       {R"({"error":{"message":"out of memory","type":"server_error"}})", R"({"error":"out of memory"})",
        R"({"object":"error","message":"out of memory","code":400})",
        R"({"detail":[{"loc":["body"],"msg":"out of memory"}]})", R"({"detail":"out of memory"})"}) {
    Silent silent;
    models::openai::AnswerStream stream(silent);
    EXPECT_TRUE(stream.event(R"({"choices":[{"delta":{"content":"Half"}}]})"));
    EXPECT_FALSE(stream.event(body)) << body;
    ASSERT_TRUE(stream.reported_error()) << body;
    EXPECT_EQ(stream.reported_error()->message, "out of memory") << body;
    const auto whole = models::openai::parse_answer(body, {});
    ASSERT_FALSE(whole) << body;
    EXPECT_EQ(whole.error().message, "said: out of memory");
  }
}

TEST(Responses, KeepReasoningAndSignatures) {
  const auto find_nothing = [](std::string_view) { return std::nullopt; };
  models::ChatAnswer answer{.model = "m"};
  answer.message = {
      .role = models::Role::assistant,
      .content = "So.",
      .tool_calls = {{.id = "a", .name = "t", .arguments = "{}", .signature = "SIG", .signed_by = "google"}},
      .reasoning = {{.provider = "anthropic", .text = "Hm.", .signature = "PROOF"}}};
  models::responses::Output output({}, "m");
  auto input = output.whole(answer).at("output").as_array();
  ASSERT_THAT(input, SizeIs(4));
  EXPECT_EQ(input[0].at("summary").at(0).at("text"), "Hm.");
  input.insert(input.begin(), json::object{{"role", "user"}, {"content", "?"}});
  const auto parsed = models::responses::parse_request({{"input", input}}, find_nothing);
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_THAT(parsed->request.messages, SizeIs(2));
  const auto& message = parsed->request.messages[1];
  EXPECT_EQ(message.content, "So.");
  EXPECT_EQ(message.reasoning.at(0).text, "Hm.");
  EXPECT_EQ(message.reasoning.at(0).signature, "PROOF");
  EXPECT_EQ(message.reasoning.at(0).provider, "anthropic");
  EXPECT_EQ(message.tool_calls.at(0).signature, "SIG");
  EXPECT_EQ(message.tool_calls.at(0).signed_by, "google");

  const auto unknown = models::responses::parse_request(
      {{"input", json::array{json::object{{"type", "item_reference"}, {"id", "rs_1"}}}}}, find_nothing);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("input[0].id"));
  const auto builtin = models::responses::parse_request(
      {{"input", "?"}, {"tools", json::array{json::object{{"type", "web_search"}}}}}, find_nothing);
  EXPECT_THAT(builtin.error().message, HasSubstr("web_search"));
}

}  // namespace wire_oddities_test
