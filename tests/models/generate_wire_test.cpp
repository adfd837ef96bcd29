#include "appliance/models/google_api/generate_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace generate_wire_test {

namespace json = boost::json;
using models::ChatAnswer, models::Finish, models::Role, models::generate::Parsed;
using testing::HasSubstr, testing::IsEmpty;

web::Result<Parsed> parse(std::string_view members) {
  return models::generate::parse_request(json::parse("{" + std::string(members) + "}").as_object(), "m");
}

// With a question in front of the members.
web::Result<Parsed> ask(std::string_view members) {
  return parse(R"("contents":[{"role":"user","parts":[{"text":"?"}]}],)" + std::string(members));
}

std::string refusal_of(const web::Result<Parsed>& parsed) { return parsed ? "" : parsed.error().message; }

TEST(Generate, ResultsOfFunctionsComeBeforeTheWordsAfterThem) {
  const auto parsed = parse(R"("systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[
    {"role":"user","parts":[{"text":"Look."},{"inlineData":{"mimeType":"image/png","data":"AA-_"}},
      {"fileData":{"mimeType":"application/pdf","fileUri":"https://example.org/a.pdf"}},
      {"inlineData":{"mimeType":"text/plain","data":"Y2FsbQ=="}}]},
    {"role":"model","parts":[{"text":"I "},{"text":"look."},{"functionCall":{"id":"a","name":"see","args":{"at":1}}},
      {"functionCall":{"id":"b","name":"see"}}]},
    {"role":"user","parts":[
      {"functionResponse":{"id":"a","name":"see","response":{"name":"see","content":"a rock"},
        "parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}},
      {"functionResponse":{"id":"b","name":"see","response":{"fog":true}}},
      {"text":"Well?"}]}])");
  ASSERT_TRUE(parsed) << parsed.error().message;
  const auto& messages = parsed->request.messages;
  ASSERT_EQ(messages.size(), 6U);
  EXPECT_EQ(messages[0].role, Role::system);
  EXPECT_EQ(messages[0].content, "Be brief.");
  EXPECT_EQ(messages[1].content, "Look.\ncalm");
  ASSERT_EQ(messages[1].parts.size(), 4U);
  EXPECT_EQ(messages[1].parts[1].url, "data:image/png;base64,AA+/");
  EXPECT_EQ(messages[1].parts[2].kind, models::PartKind::file);
  EXPECT_EQ(messages[2].content, "I look.");
  EXPECT_EQ(messages[2].tool_calls[0].arguments, R"({"at":1})");
  EXPECT_EQ(messages[2].tool_calls[1].arguments, "{}");
  EXPECT_EQ(messages[3].tool_call_id, "a");
  EXPECT_EQ(messages[3].content, "a rock");
  ASSERT_EQ(messages[3].parts.size(), 2U);
  EXPECT_EQ(messages[4].content, R"({"fog":true})");
  EXPECT_EQ(messages[5].content, "Well?");
}

TEST(Generate, CallsWithoutIdsFindTheirResultsByFunction) {
  const auto parsed = parse(R"("contents":[{"parts":[{"text":"?"}]},
    {"role":"model","parts":[{"function_call":{"name":"see"}},{"function_call":{"name":"hear"}},
      {"function_call":{"name":"see"}}]},
    {"role":"function","parts":[{"function_response":{"name":"hear","response":{"output":"a bell"}}},
      {"function_response":{"name":"see","response":{"result":1}}},
      {"function_response":{"name":"see","response":{}}}]}])");
  ASSERT_TRUE(parsed) << parsed.error().message;
  const auto& messages = parsed->request.messages;
  ASSERT_EQ(messages.size(), 5U);
  const auto& calls = messages[1].tool_calls;
  EXPECT_EQ(messages[2].tool_call_id, calls[1].id);
  EXPECT_EQ(messages[2].content, "a bell");
  EXPECT_EQ(messages[3].tool_call_id, calls[0].id);
  EXPECT_EQ(messages[3].content, "1");
  EXPECT_EQ(messages[4].tool_call_id, calls[2].id);
  EXPECT_NE(calls[0].id, calls[2].id);
}

TEST(Generate, SchemasBecomeJsonSchema) {
  const auto schema = models::generate::json_schema_of(json::parse(R"({
    "type":"OBJECT","propertyOrdering":["type"],"required":["type"],"properties":{
      "type":{"type":"STRING","format":"enum","enum":["a"],"nullable":true},
      "many":{"type":"ARRAY","minItems":"2","items":{"type":"INTEGER"}},
      "any_of":{"any_of":[{"type":"NUMBER"}],"nullable":true}}})")
                                                           .as_object());
  EXPECT_EQ(schema, json::parse(R"({"type":"object","required":["type"],"properties":{
      "type":{"type":["string","null"],"enum":["a",null]},
      "many":{"type":"array","minItems":2,"items":{"type":"integer"}},
      "any_of":{"anyOf":[{"type":"number"},{"type":"null"}]}}})"));
}

TEST(Generate, FunctionsAndTheirChoiceReachTheModel) {
  constexpr const char* functions = R"("tools":[{"functionDeclarations":[
    {"name":"see","description":"Looks.","parameters":{"type":"OBJECT","properties":{"at":{"type":"STRING"}}}},
    {"name":"hear","parametersJsonSchema":{"type":"object","properties":{}}},{"name":"wait"}]}],)";
  const auto choice = [&](std::string_view config) {
    const auto parsed = ask(functions + (R"("toolConfig":{"functionCallingConfig":)" + std::string(config)) + "}");
    if (!parsed) return parsed.error().message;
    const auto* chosen = parsed->request.options.if_contains("tool_choice");
    return std::to_string(parsed->request.tools.size()) + (chosen ? json::serialize(*chosen) : "");
  };
  EXPECT_EQ(choice(R"({"mode":"AUTO"})"), R"(3"auto")");
  EXPECT_EQ(choice(R"({"mode":"VALIDATED"})"), R"(3"auto")");
  EXPECT_EQ(choice(R"({"mode":"NONE"})"), R"(3"none")");
  EXPECT_EQ(choice(R"({"mode":"ANY"})"), R"(3"required")");
  EXPECT_EQ(choice(R"({"mode":"ANY","allowedFunctionNames":["see"]})"),
            R"(3{"type":"function","function":{"name":"see"}})");
  EXPECT_EQ(choice(R"({"mode":"ANY","allowedFunctionNames":["see","hear"]})"), R"(2"required")");
  EXPECT_THAT(choice(R"({"mode":"ANY","allowedFunctionNames":["smell"]})"), HasSubstr("allowedFunctionNames[0]"));
  EXPECT_THAT(choice(R"({"mode":"MUST"})"), HasSubstr("toolConfig.functionCallingConfig.mode"));
}

TEST(Generate, ConfigReachesTheModel) {
  const auto parsed = ask(R"("generation_config":{"temperature":1.5,"topP":0.5,"top_k":40,"maxOutputTokens":9,
    "stopSequences":["END"," "],"seed":7,"presencePenalty":1,"candidateCount":1,"responseMimeType":"application/json",
    "responseSchema":{"type":"STRING"},"responseModalities":["TEXT"],"thinkingConfig":{"thinkingLevel":"HIGH"}},
    "safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT"}])");
  ASSERT_TRUE(parsed) << parsed.error().message;
  const auto& request = parsed->request;
  EXPECT_EQ(request.temperature, 1.5);
  EXPECT_EQ(request.top_p, 0.5);
  EXPECT_EQ(request.max_tokens, 9);
  EXPECT_EQ(request.stop, std::vector<std::string>{"END"});
  EXPECT_EQ(request.options.at("seed"), 7);
  EXPECT_EQ(request.options.at("reasoning_effort"), "high");
  EXPECT_EQ(request.options.at("response_format").at("json_schema").at("schema").at("type"), "string");
  EXPECT_FALSE(request.options.contains("modalities"));
  EXPECT_TRUE(request.unknown.empty());
  EXPECT_FALSE(parsed->includes_thoughts);
}

TEST(Generate, ThinkingIsAnEffort) {
  const auto effort_of = [](std::string_view thinking) {
    const auto parsed = ask(R"("generationConfig":{"thinkingConfig":)" + std::string(thinking) + "}");
    if (!parsed) return parsed.error().message;
    const auto* effort = parsed->request.options.if_contains("reasoning_effort");
    return (parsed->includes_thoughts ? "shown " : "") + (effort ? std::string(effort->as_string()) : "");
  };
  EXPECT_EQ(effort_of(R"({"thinkingBudget":0})"), "none");
  EXPECT_EQ(effort_of(R"({"thinkingBudget":-1,"includeThoughts":true})"), "shown medium");
  EXPECT_EQ(effort_of(R"({"thinkingBudget":1024})"), "low");
  EXPECT_EQ(effort_of(R"({"thinkingBudget":24576})"), "high");
  EXPECT_EQ(effort_of(R"({"thinkingLevel":"minimal"})"), "minimal");
  EXPECT_EQ(effort_of(R"({"includeThoughts":false})"), "");
  EXPECT_THAT(effort_of(R"({"thinkingLevel":"LOTS"})"), HasSubstr("thinkingConfig.thinkingLevel"));
  EXPECT_THAT(effort_of(R"({"thinkingBudget":"1"})"), HasSubstr("thinkingConfig.thinkingBudget"));
}

TEST(Generate, WhatIsNotSupportedIsRefusedByName) {
  EXPECT_THAT(refusal_of(ask(R"("tools":[{"googleSearch":{}}])")), HasSubstr("tools[0].googleSearch"));
  EXPECT_THAT(refusal_of(ask(R"("cachedContent":"c1")")), HasSubstr("cachedContent"));
  EXPECT_THAT(refusal_of(ask(R"("generationConfig":{"candidateCount":2})")), HasSubstr("candidateCount"));
  EXPECT_THAT(refusal_of(ask(R"("generationConfig":{"temperature":3})")), HasSubstr("generationConfig.temperature"));
  EXPECT_THAT(refusal_of(ask(R"("generationConfig":{"speechConfig":{"a":1}})")), HasSubstr("speechConfig"));
  EXPECT_THAT(refusal_of(parse(R"("contents":[{"role":"user","parts":[{"video":1}]}])")),
              HasSubstr("contents[0].parts[0]"));
  EXPECT_THAT(refusal_of(parse(R"("contents":[{"parts":[{"inlineData":{"mimeType":"video/mp4","data":"AA=="}}]}])")),
              HasSubstr("contents[0].parts[0].inlineData"));
  EXPECT_THAT(refusal_of(parse(R"("contents":[{"parts":[{"fileData":{"fileUri":"http://10.0.0.1/a"}}]}])")),
              HasSubstr("contents[0].parts[0].fileData"));
  EXPECT_THAT(refusal_of(parse(R"("contents":[{"role":"system","parts":[]}])")), HasSubstr("contents[0].role"));
  EXPECT_THAT(refusal_of(parse(R"("contents":[{"parts":[{"text":" "}]}])")), HasSubstr("contents"));
}

// Sends the content of an answer back, and returns the message that is read from it.
models::Message returned(const json::object& answer) {
  const auto content = answer.at("candidates").at(0).at("content");
  const auto parsed = parse(R"("contents":[{"parts":[{"text":"?"}]},)" + json::serialize(content) + "]");
  EXPECT_TRUE(parsed) << refusal_of(parsed);
  return parsed ? parsed->request.messages.at(1) : models::Message();
}

TEST(Generate, GooglesSignaturesStayAsTheyAre) {
  ChatAnswer answer{.message = {.role = Role::assistant}, .finish = Finish::tool_calls};
  answer.message.reasoning.push_back({.provider = "google", .text = "hm", .format = "google-gemini-v1"});
  for (const char* id : {"a", "b"})
    answer.message.tool_calls.push_back({.id = id, .name = "see", .arguments = R"({"at":1})"});
  answer.message.tool_calls[0].signature = "c2ln";
  answer.message.tool_calls[0].signed_by = "google";
  const auto wire = models::generate::Output("m", true).whole(answer);
  const auto& parts = wire.at("candidates").at(0).at("content").at("parts").as_array();
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0], json::parse(R"({"text":"hm","thought":true})"));
  EXPECT_EQ(parts[1],
            json::parse(R"({"functionCall":{"id":"a","name":"see","args":{"at":1}},"thoughtSignature":"c2ln"})"));
  EXPECT_EQ(parts[2], json::parse(R"({"functionCall":{"id":"b","name":"see","args":{"at":1}}})"));
  EXPECT_EQ(wire.at("candidates").at(0).at("finishReason"), "STOP");
  const auto message = returned(wire);
  EXPECT_EQ(message.tool_calls.at(0).signature, "c2ln");
  EXPECT_EQ(message.tool_calls.at(0).signed_by, "google");
  EXPECT_THAT(message.tool_calls.at(1).signature, IsEmpty());
}

TEST(Generate, ReasoningOfOtherProvidersFindsTheWayBack) {
  for (const bool has_calls : {false, true}) {
    ChatAnswer answer{.message = {.role = Role::assistant, .content = "Yes."}};
    answer.message.reasoning = {{.provider = "anthropic", .text = "h\xc3\xa4", .signature = "sig:1"},
                                {.provider = "openai", .sealed = "gAAA", .id = "rs_1", .is_summary = true}};
    if (has_calls) answer.message.tool_calls.push_back({.id = "a", .name = "see", .arguments = "{}"});
    // Reasoning that the client does not want to see goes back as well.
    for (const bool is_shown : {false, true}) {
      const auto message = returned(models::generate::Output("m", is_shown).whole(answer));
      EXPECT_EQ(message.content, "Yes.");
      ASSERT_EQ(message.reasoning.size(), 2U);
      EXPECT_EQ(message.reasoning[0].provider, "anthropic");
      EXPECT_EQ(message.reasoning[0].text, "h\xc3\xa4");
      EXPECT_EQ(message.reasoning[0].signature, "sig:1");
      EXPECT_EQ(message.reasoning[1].sealed, "gAAA");
      EXPECT_EQ(message.reasoning[1].id, "rs_1");
      EXPECT_TRUE(message.reasoning[1].is_summary);
    }
  }
}

TEST(Generate, SignaturesMayComeBackInTheOtherAlphabet) {
  // Long enough for every letter of the alphabet.
  const models::generate::Signed kept{{{.provider = "local", .text = "\xc3\xbf\xc3\xbe\xc3\xbf~~>>??"}}, "", ""};
  auto text = models::generate::pack(kept);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  const auto back = models::generate::unpack(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->reasoning.at(0).text, kept.reasoning[0].text);
  for (const char* other : {"", "c2ln", "CiQ=", "no base64!"}) EXPECT_FALSE(models::generate::unpack(other));
}

TEST(Generate, AStreamHasCallsAndSignaturesAtItsEnd) {
  models::generate::Output output("m", true);
  json::array parts;
  const auto add = [&](const json::object& piece) {
    for (const auto& part : piece.at("candidates").at(0).at("content").at("parts").as_array()) parts.push_back(part);
  };
  const auto take = [&](const models::AnswerPiece& piece) {
    if (const auto answer = output.take(piece)) add(*answer);
  };
  take({.block = 0, .reasoning = {.provider = "anthropic", .text = "hm"}});
  take({.block = 0, .reasoning = {.provider = "anthropic", .signature = "sig"}});
  take({.text = "I look."});
  take({.call = 0, .id = "a", .name = "see", .arguments = "{"});
  ChatAnswer answer{.message = {.role = Role::assistant, .content = "I look."}, .finish = Finish::length};
  answer.message.reasoning = {{.provider = "anthropic", .text = "hm", .signature = "sig"}};
  answer.message.tool_calls.push_back({.id = "a", .name = "see", .arguments = "{"});
  answer.usage = {.input = 10, .output = 5, .cached = 4, .reasoning = 2};
  const auto end = output.finish(answer);
  add(end);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0], json::parse(R"({"text":"hm","thought":true})"));
  EXPECT_EQ(parts[1], json::parse(R"({"text":"I look."})"));
  EXPECT_EQ(parts[2].at("functionCall").at("args").at("invalid_arguments"), "{");
  EXPECT_EQ(end.at("candidates").at(0).at("finishReason"), "MAX_TOKENS");
  EXPECT_EQ(end.at("usageMetadata"), json::parse(R"({"promptTokenCount":10,"candidatesTokenCount":3,
      "totalTokenCount":15,"thoughtsTokenCount":2,"cachedContentTokenCount":4})"));
  EXPECT_EQ(returned(json::object{{"candidates", json::array{json::object{
                                                     {"content", json::object{{"role", "model"}, {"parts", parts}}}}}}})
                .reasoning.at(0)
                .signature,
            "sig");
}

TEST(Generate, ErrorsHaveGooglesForm) {
  web::Error error{.kind = web::Kind::too_many, .message = "Too much.", .code = "CAP_REACHED"};
  error.extra["limit"] = 5;
  EXPECT_EQ(models::generate::error_body(error), json::parse(R"({"error":{"code":429,"message":"Too much.",
      "status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",
      "reason":"CAP_REACHED","domain":"agentbox","metadata":{"limit":"5"}}]}})"));
  EXPECT_EQ(models::generate::error_body(web::not_found()).at("error").at("status"), "NOT_FOUND");
}

}  // namespace generate_wire_test
