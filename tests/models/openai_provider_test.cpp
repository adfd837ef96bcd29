#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "appliance/models/providers/openai_chunks.h"
#include "appliance/models/providers/openai_provider.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/token_counts.h"
#include "tests/support/scripted_server.h"

namespace openai_provider_test {

using namespace test_support;
using testing::HasSubstr;
using testing::Not;
namespace json = boost::json;

models::ChatRequest question(std::string text = "Hello?") {
  return {.messages = {{.role = models::Role::user, .content = std::move(text)}}};
}

// Requests of clients

struct BadRequest {
  std::string body, message;
};

class RefusedRequest : public testing::TestWithParam<BadRequest> {};

TEST_P(RefusedRequest, NamesTheField) {
  const auto parsed = models::openai::parse_request(json::parse(GetParam().body));
  ASSERT_FALSE(parsed) << GetParam().body;
  EXPECT_EQ(parsed.error().kind, web::Kind::invalid);
  EXPECT_THAT(parsed.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Openai, RefusedRequest,
    testing::Values(
        BadRequest{"[]", "JSON object"}, BadRequest{"{}", "messages is required"},
        BadRequest{R"({"messages":[]})", "non-empty"}, BadRequest{R"({"messages":"hi"})", "non-empty array"},
        BadRequest{R"({"messages":[1]})", "messages[0] must be an object"},
        BadRequest{R"({"messages":[{"role":"robot","content":"x"}]})", "messages[0].role"},
        BadRequest{R"({"messages":[{"role":"user"}]})", "messages[0].content is required"},
        BadRequest{R"({"messages":[{"role":"user","content":""}]})", "messages[0].content must not be empty"},
        BadRequest{R"({"messages":[{"role":"user","content":" \n"}]})", "messages[0].content must not be empty"},
        BadRequest{R"({"messages":[{"role":"user","content":[{"type":"image_url"}]}]})", "messages[0].content[0]"},
        BadRequest{R"({"messages":[{"role":"tool","content":"x"}]})", "messages[0].tool_call_id"},
        BadRequest{R"({"messages":[{"role":"assistant","tool_calls":[{"id":"a"}]}]})", "tool_calls[0].function.name"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"tools":[{}]})", "tools[0]"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"tools":[{"function":{"name":"a b"}}]})", "tools[0]"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"temperature":3})", "temperature"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"max_tokens":-1})", "max_tokens"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"max_tokens":1.5})", "max_tokens"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"stream":"yes"})", "stream"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"model":7})", "model"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"n":2})", "n must be 1"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"stop":[1]})", "stop"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"seed":1.5})", "seed"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"logprobs":true})", "logprobs"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"functions":[]})", "functions is not supported"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"tool_choice":"required"})", "tool_choice"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema"}})",
                   "response_format"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"presence_penalty":3})", "presence_penalty"},
        BadRequest{R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"file:///x"}}]}]})",
                   "messages[0].content[0]"},
        BadRequest{R"({"messages":[{"role":"robot","content":"x"}]})",
                   "one of: system, developer, user, assistant, tool"},
        BadRequest{R"({"messages":[{"role":"user","content":"x","name":7}]})", "messages[0].name must be a string"},
        BadRequest{R"({"messages":[{"role":"user","content":"x","name":"Ada L"}]})", "messages[0].name must have no"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"tools":[{"function":{"name":"t","strict":1}}]})",
                   "tools[0].function.strict must be true or false"},
        BadRequest{R"({"messages":[{"role":"user","content":"x"}],"service_tier":"priority"})", "service_tier"}));

TEST(OpenaiRequest, PassesOnSupportedParameters) {
  const auto parsed = models::openai::parse_request(json::parse(R"({
    "messages": [{"role": "user", "name": "Ada", "content": [{"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}}]}],
    "tools": [{"type": "function", "function": {"name": "look", "strict": true}},
              {"type": "function", "function": {"name": "listen"}}],
    "tool_choice": {"type": "function", "function": {"name": "look"}}, "parallel_tool_calls": false,
    "response_format": {"type": "json_object"}, "stop": ["a", "b"], "seed": 7, "n": 1, "user": "ada",
    "frequency_penalty": -1, "logit_bias": {"50256": -100}})"));
  ASSERT_TRUE(parsed) << parsed.error().message;
  const auto wire = models::openai::to_wire(*parsed);
  EXPECT_EQ(wire.at("stop"), json::parse(R"(["a","b"])"));
  EXPECT_EQ(wire.at("seed"), 7);
  EXPECT_EQ(wire.at("tool_choice").at("function").at("name"), "look");
  EXPECT_EQ(wire.at("parallel_tool_calls"), false);
  EXPECT_EQ(wire.at("response_format").at("type"), "json_object");
  EXPECT_EQ(wire.at("logit_bias").at("50256"), -100);
  EXPECT_FALSE(wire.contains("user"));
  EXPECT_EQ(wire.at("messages").at(0).at("name"), "Ada");
  EXPECT_EQ(wire.at("tools").at(0).at("function").at("strict"), true);
  EXPECT_FALSE(wire.at("tools").at(1).at("function").as_object().contains("strict"));
  const auto& content = wire.at("messages").at(0).at("content");
  EXPECT_EQ(content.at(1).at("image_url").at("url"), "data:image/png;base64,AAAA");
  EXPECT_EQ(content.at(1).at("image_url").at("detail"), "low");
}

TEST(OpenaiRequest, KeepsConversationsWithTools) {
  const auto parsed = models::openai::parse_request(json::parse(R"({
    "model": "m", "stream": true, "stream_options": {"include_usage": true}, "temperature": 0.5, "max_completion_tokens": 9,
    "messages": [{"role": "developer", "content": "Be brief"},
                 {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
                 {"role": "assistant", "content": null,
                  "tool_calls": [{"id": "c", "type": "function", "function": {"name": "t", "arguments": "{\"x\":1}"}}]},
                 {"role": "tool", "tool_call_id": "c", "content": ""}],
    "tools": [{"type": "function", "function": {"name": "t", "parameters": {"type": "object"}}}]})"));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->messages[0].role, models::Role::system);
  EXPECT_EQ(parsed->messages[1].content, "a\nb");
  EXPECT_EQ(parsed->messages[2].tool_calls.at(0).arguments, R"({"x":1})");
  EXPECT_EQ(parsed->max_tokens, 9);
  EXPECT_TRUE(parsed->stream && parsed->include_usage);

  const auto wire = models::openai::to_wire(*parsed);
  const auto again = models::openai::parse_request(wire);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->messages.size(), 4u);
  EXPECT_EQ(again->messages[3].tool_call_id, "c");
  EXPECT_EQ(again->tools.at(0).name, "t");
}

TEST(OpenaiRequest, SendsEmptyArgumentsInPlaceOfMalformedOnes) {
  auto request = question();
  request.messages.push_back({.role = models::Role::assistant,
                              .tool_calls = {{.id = "c", .name = "t", .arguments = "{oops", .malformed = true}}});
  EXPECT_THAT(json::serialize(models::openai::to_wire(request)), HasSubstr(R"("arguments":"{}")"));
}

// Answers of upstreams

TEST(OpenaiAnswer, ToleratesDeviationsOfServers) {
  const auto answer = models::openai::parse_answer(R"({"choices":[{"message":{"content":null,"tool_calls":[
      {"function":{"name":"a","arguments":{"x":1}}},
      {"id":"k","function":{"name":"b","arguments":"{broken"}},
      {"id":"l","function":{"name":"c"}},
      {"id":"m","function":{"name":"d","arguments":"[1]"}}]},"finish_reason":"stop"}]})",
                                                   question());
  ASSERT_TRUE(answer);
  const auto& made = answer->message.tool_calls;
  ASSERT_EQ(made.size(), 4u);
  EXPECT_EQ(made[0].arguments, R"({"x":1})");
  EXPECT_FALSE(made[0].malformed);
  EXPECT_FALSE(made[0].id.empty());
  EXPECT_EQ(made[1].arguments, "{broken");
  EXPECT_TRUE(made[1].malformed);
  EXPECT_EQ(made[2].arguments, "{}");
  EXPECT_TRUE(made[3].malformed);
  EXPECT_EQ(answer->finish, models::Finish::tool_calls);
  EXPECT_TRUE(answer->usage.estimated);
  EXPECT_GT(answer->usage.input, 0);
}

TEST(OpenaiAnswer, TakesContentInPartsAndTheOldFunctionCall) {
  const auto parts = models::openai::parse_answer(
      R"({"choices":[{"message":{"content":[{"type":"text","text":"Hi"}]}}]})", question());
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->message.content, "Hi");
  const auto old = models::openai::parse_answer(
      R"({"choices":[{"message":{"content":"","function_call":{"name":"f","arguments":"{}"}}}]})", question());
  ASSERT_TRUE(old);
  EXPECT_EQ(old->message.tool_calls.at(0).name, "f");
}

class UsageReport : public testing::TestWithParam<std::string> {};

TEST_P(UsageReport, IsIgnoredBeyondEveryContext) {
  const auto answer = models::openai::parse_answer(
      R"({"choices":[{"message":{"content":"Hi"}}],"usage":)" + GetParam() + "}", question());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->usage.estimated);
  EXPECT_LT(answer->usage.total(), 100);
}

INSTANTIATE_TEST_SUITE_P(
    Openai, UsageReport,
    testing::Values(R"({"prompt_tokens":1000000000000000,"completion_tokens":5})",
                    R"({"prompt_tokens":10,"completion_tokens":100000001})",
                    R"({"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807})",
                    R"({"prompt_tokens":18446744073709551615,"completion_tokens":1})",
                    R"({"prompt_tokens":-1,"completion_tokens":5})", R"({"prompt_tokens":1e30,"completion_tokens":5})",
                    R"({"prompt_tokens":"10","completion_tokens":5})"));

TEST(OpenaiAnswer, LimitsReasoningToOutputTokens) {
  const auto answer = models::openai::parse_answer(R"({"choices":[{"message":{"content":"Hi"}}],
      "usage":{"prompt_tokens":10,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":50}}})",
                                                   question());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->usage.reasoning, 5);
}

TEST(OpenaiAnswer, NamesWhatIsMissing) {
  for (const auto& [body, clause] :
       std::vector<std::pair<std::string, std::string>>{{"<html>", "not a JSON object"},
                                                        {R"({"choices":null})", "without choices"},
                                                        {R"({"choices":[]})", "without choices"},
                                                        {R"({"id":"x"})", "without choices"},
                                                        {R"({"choices":[{}]})", "without a message"},
                                                        {R"({"error":{"message":"no credit"}})", "said: no credit"}}) {
    const auto answer = models::openai::parse_answer(body, question());
    ASSERT_FALSE(answer) << body;
    EXPECT_THAT(answer.error().message, HasSubstr(clause));
  }
}

TEST(OpenaiAnswer, StreamsChunks) {
  const models::openai::Chunks chunks("i", "m");
  const auto piece = json::parse(chunks.piece({.text = "Grüße 你好 "}));
  EXPECT_EQ(piece.at("object"), "chat.completion.chunk");
  EXPECT_EQ(piece.at("choices").at(0).at("delta").at("content"), "Grüße 你好 ");
  EXPECT_EQ(json::parse(chunks.usage({.input = 3, .output = 4})).at("usage").at("total_tokens"), 7);
  const auto extended = json::parse(chunks.extended({{"agentbox", {{"step", "tool_call"}}}}));
  EXPECT_TRUE(extended.at("choices").at(0).at("delta").as_object().empty());
  EXPECT_EQ(extended.at("agentbox").at("step"), "tool_call");
}

// The provider

models::OpenAiSettings settings_for(const ScriptedServer& server) {
  return {.name = "local", .base_url = server.url() + "/v1/", .key = "sk-very-secret", .default_model = "m"};
}

TEST(OpenAiProvider, CompletesARequest) {
  ScriptedServer server(std::vector{says("Hello.")});
  models::OpenAiProvider provider(settings_for(server));
  const auto answer = await(provider.complete(question()));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->message.content, "Hello.");
  EXPECT_EQ(answer->model, "stand-in");
  EXPECT_EQ(answer->provider, "local");
  EXPECT_EQ(answer->usage.input, 10);
  EXPECT_FALSE(answer->usage.estimated);
  const auto request = server.received().at(0);
  EXPECT_EQ(request.target, "/v1/chat/completions");
  EXPECT_THAT(request.head, HasSubstr("Authorization: Bearer sk-very-secret"));
  EXPECT_EQ(request.json().at("model"), "m");
  EXPECT_EQ(request.json().at("stream"), false);
}

struct Faulty {
  std::string answer;
  models::Fault fault;
  std::string message;
};

class OpenAiFault : public testing::TestWithParam<Faulty> {};

TEST_P(OpenAiFault, IsASentenceWithoutTheKey) {
  ScriptedServer server(std::vector{GetParam().answer});
  auto settings = settings_for(server);
  settings.timeout = std::chrono::milliseconds(300);
  models::OpenAiProvider provider(settings);
  const auto answer = await(provider.complete(question()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, GetParam().fault) << answer.error().message;
  EXPECT_THAT(answer.error().message, HasSubstr(GetParam().message));
  EXPECT_THAT(answer.error().message, HasSubstr("'local'"));
  EXPECT_THAT(answer.error().message, Not(HasSubstr("very-secret")));
}

INSTANTIATE_TEST_SUITE_P(
    Upstream, OpenAiFault,
    testing::Values(
        Faulty{http(429, R"({"error":{"message":"slow down"}})", "Retry-After: 7\r\n"), models::Fault::rate_limited,
               "slow down"},
        Faulty{http(401, R"({"error":{"message":"bad key sk-very-secret"}})"), models::Fault::bad_key, "[key]"},
        Faulty{http(403, ""), models::Fault::bad_key, "key"},
        Faulty{http(503, R"({"error":"loading model"})"), models::Fault::overloaded, "loading model"},
        Faulty{http(400, R"({"error":{"message":"maximum context length is 8192"}})"), models::Fault::context_too_long,
               "8192"},
        Faulty{http(404, R"({"message":"no such model"})"), models::Fault::model_not_available, "no such model"},
        Faulty{http(500, "oh no", "", "text/plain"), models::Fault::upstream_error, "500"},
        Faulty{http(200, "<html></html>", "", "text/html"), models::Fault::bad_answer, "not a JSON object"},
        Faulty{http(200, R"({"choices":[{"message":)"), models::Fault::bad_answer, "not a JSON object"},
        Faulty{http(529, R"({"error":{"message":"busy"}})"), models::Fault::overloaded, "busy"},
        Faulty{http(200, R"({"choices":null})"), models::Fault::bad_answer, "without choices"},
        Faulty{"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"choices\":[", models::Fault::unreachable,
               "cannot be reached"},
        Faulty{"", models::Fault::unreachable, "cannot be reached"},
        Faulty{ScriptedServer::stall, models::Fault::timeout, "in time"}));

TEST(OpenAiProvider, ARefusedKeyNamesItsOwnerAndTheRemedy) {
  for (const auto* said : {"No such key", "No such key."}) {
    ScriptedServer server(std::vector{http(401, R"({"error":{"message":")" + std::string(said) + R"("}})")});
    auto settings = settings_for(server);
    settings.name = "openrouter";
    settings.own_key = true;
    const auto answer = await(models::OpenAiProvider(settings).complete(question()));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().fault, models::Fault::bad_key);
    EXPECT_EQ(answer.error().message,
              "The model provider 'openrouter' refused your own key: No such key. Bring another with PUT "
              "/api/provider-keys/openrouter, or DELETE it there to have calls go on your plan.");
  }
}

// What OpenAI's clients read an error from

web::Error error_of(web::Kind kind, std::string code = {}, std::string message = "It failed") {
  return {.kind = kind, .message = std::move(message), .code = std::move(code)};
}

TEST(OpenaiError, HasOpenaisTypeAndCode) {
  using web::Kind;
  struct Told {
    web::Error error;
    const char* body;
  };
  const std::vector<Told> all{
      {error_of(Kind::unauthenticated),
       R"({"message":"It failed","type":"authentication_error","code":"invalid_api_key","param":null})"},
      {error_of(Kind::too_many),
       R"({"message":"It failed","type":"rate_limit_error","code":"rate_limit_exceeded","param":null})"},
      {error_of(Kind::too_many, "CAP_REACHED"),
       R"({"message":"It failed","type":"insufficient_quota","code":"CAP_REACHED","param":null})"},
      {error_of(Kind::not_found), R"({"message":"It failed","type":"invalid_request_error","code":null,"param":null})"},
      {error_of(Kind::not_found, "model_not_found"),
       R"({"message":"It failed","type":"invalid_request_error","code":"model_not_found","param":"model"})"},
      {error_of(Kind::invalid, "", "top_p must be a number"),
       R"({"message":"top_p must be a number","type":"invalid_request_error","code":null,"param":"top_p"})"},
      {error_of(Kind::unavailable), R"({"message":"It failed","type":"server_error","code":null,"param":null})"}};
  for (const auto& [error, body] : all)
    EXPECT_EQ(json::value(models::openai::error_body(error)).at("error"), json::parse(body)) << body;
}

TEST(OpenaiError, IncludesTheExceededLimit) {
  auto error = error_of(web::Kind::too_many, "CAP_REACHED");
  error.extra =
      json::parse(R"({"limit": 10, "used": "0.5", "retryAfter": 3, "cap": {"not": "one"}, "secret": "s"})").as_object();
  const auto told = models::openai::error_body(error).at("error").as_object();
  EXPECT_EQ(json::value(models::openai::limit_members(told)),
            json::parse(R"({"limit": 10, "used": "0.5", "retryAfter": 3})"));
  EXPECT_FALSE(told.contains("secret"));
  EXPECT_TRUE(models::openai::limit_members(json::object{{"resetsAt", std::string(200, 'x')}}).empty());
}

TEST(OpenAiProvider, RedactsAKeyThatIsPartOfThePlaceholder) {
  for (const auto* key : {"key", "k", "["}) {
    ScriptedServer server(std::vector{http(401, R"({"error":{"message":"Incorrect API key [k] provided"}})")});
    auto settings = settings_for(server);
    settings.key = key;
    models::OpenAiProvider provider(std::move(settings));
    const auto answer = await(provider.complete(question()));
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.error().message.find("[key]"), std::string::npos) << answer.error().message;
  }
}

TEST(OpenAiProvider, KeepsRetryAfter) {
  ScriptedServer server(std::vector{http(429, "", "Retry-After: 7\r\n")});
  models::OpenAiProvider provider(settings_for(server));
  const auto answer = await(provider.complete(question()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().retry_after, std::chrono::seconds(7));
}

TEST(OpenAiProvider, ReportsARefusedConnection) {
  std::string url;
  {
    ScriptedServer gone(std::vector{says("never")});
    url = gone.url();
  }
  models::OpenAiProvider provider({.name = "local", .base_url = url, .default_model = "m"});
  const auto answer = await(provider.complete(question()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, models::Fault::unreachable);
}

std::string serve_two_models(const Received& request) {
  if (request.target == "/v1/models") return http(200, R"({"data":[{"id":"first"},{"id":"second"},{"no":"id"}]})");
  return says("ok");
}

TEST(OpenAiProvider, SkipsInvalidNamesInTheList) {
  json::array data;
  for (const auto* id : {"", "line\nbreak", "\x7f", "sound"}) data.push_back(json::object{{"id", id}});
  data.push_back(json::object{{"id", std::string(201, 'x')}});
  for (int i = 0; i < 2'000; ++i) data.push_back(json::object{{"id", "model-" + std::to_string(i)}});
  ScriptedServer server(std::vector{http(200, json::serialize(json::object{{"data", std::move(data)}}))});
  models::OpenAiProvider provider({.name = "local", .base_url = server.url() + "/v1"});
  const auto listed = await(provider.models());
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(listed->size(), 1'000u);
  EXPECT_EQ(listed->at(0).id, "sound");
  EXPECT_EQ(listed->at(1).id, "model-0");
}

TEST(CountedTokens, AreCloseToTheTokensOfProseCodeAndOtherScripts) {
  const auto count = [](std::string_view text) {
    models::TokenCounter counter;
    for (const char c : text) counter.add({&c, 1});
    return counter.count();
  };
  // By o200k_base: 10, 16 and 10 tokens.
  const auto prose = count("The quick brown fox jumps over the lazy dog."),
             code = count("for (int i = 0; i < n; ++i) sum += a[i];"), greek = count("Η γρήγορη καφέ αλεπού πηδάει");
  EXPECT_TRUE(prose >= 10 && prose <= 16) << prose;
  EXPECT_TRUE(code >= 16 && code <= 26) << code;
  EXPECT_TRUE(greek >= 10 && greek <= 30) << greek;
  EXPECT_EQ(count(""), 0);
  EXPECT_EQ(count(std::string(64, ' ')), 5) << "indentation is few tokens";
}

TEST(LeastTokens, AreALowerLimitForEveryTokenizer) {
  EXPECT_EQ(models::least_tokens(question("Hello?")), 1);
  EXPECT_GT(models::least_tokens(question(std::string(1'000'000, 'x'))), 128'000);
  EXPECT_GT(models::least_tokens(question(std::string(1 << 20, '7'))), 128'000);
  std::string greek;
  for (int i = 0; i < 70'000; ++i) greek += "λόγος ";
  EXPECT_EQ(models::least_tokens(question(greek)), 70'000) << "words count, and letters, not bytes";
  std::string prose;
  while (prose.size() < 1'000'000) prose += "the harbour of Lisbon ";
  EXPECT_GT(models::least_tokens(question(prose)), 128'000) << "no token reaches from one word into the next";
  EXPECT_LT(models::least_tokens(question(std::string(1'000'000, ' '))), 10'000) << "blanks come in long tokens";
}

TEST(OpenAiProvider, AsksAgainWithoutWhatTheServerCannotDo) {
  const auto stream = [](const std::string& events) { return http(200, events, {}, "text/event-stream"); };
  ScriptedServer server([&](const Received& request) {
    const auto body = request.json();
    const bool streams = body.at("stream") == true;
    if (body.as_object().contains("stream_options"))
      return http(400, R"({"error":{"message":"Unknown field: stream_options"}})");
    return streams ? stream("data: {\"detail\":\"tools do not stream\"}\n\n") : says("ok");
  });
  models::OpenAiProvider provider(
      {.name = "local", .base_url = server.url() + "/v1", .default_model = "m", .is_local = true});
  for (const auto* reason : {"stream_options", "tools do not stream"}) {
    const auto refused = await(provider.complete(question()));
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is_worth_repeating);
    EXPECT_THAT(refused.error().message, HasSubstr(reason));
  }
  const auto answer = await(provider.complete(question()));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->message.content, "ok");
}

TEST(OpenAiProvider, MarksConversationsOfAgentsForClaudesCache) {
  ScriptedServer server(std::vector{says("ok")});
  models::OpenAiProvider provider({.name = "openrouter", .base_url = server.url() + "/v1", .default_model = "m"});
  auto request = question();
  request.messages.insert(request.messages.begin(), {.role = models::Role::system, .content = "Be brief."});
  request.model = "anthropic/claude-x";
  request.is_cached = true;
  ASSERT_TRUE(await(provider.complete(request)));
  const auto messages = server.received().at(0).json().at("messages");
  for (const auto place : {0, 1})
    EXPECT_EQ(messages.at(place).at("content").at(0).at("cache_control").at("type"), "ephemeral");
}

TEST(OpenAiProvider, PicksAModelTheServerLists) {
  ScriptedServer server(serve_two_models);
  models::OpenAiProvider provider({.name = "local", .base_url = server.url() + "/v1", .is_local = true});
  auto named = question();
  named.model = "second";
  ASSERT_TRUE(await(provider.complete(question())));
  ASSERT_TRUE(await(provider.complete(named)));
  std::vector<std::string> asked;
  int listings = 0;
  for (const auto& request : server.received()) {
    if (request.target == "/v1/models") {
      ++listings;
    } else {
      asked.emplace_back(request.json().at("model").as_string());
    }
  }
  EXPECT_EQ(asked, (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(listings, 1) << "the listing is cached";
}

}  // namespace openai_provider_test
