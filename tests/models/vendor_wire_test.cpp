// Anthropic's and Google's wire formats against a stand-in that answers as their published formats have it, and that
// fails in every way there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "appliance/models/providers/openai_provider.h"
#include "appliance/models/providers/sse.h"
#include "appliance/models/providers/vendor_providers.h"
#include "tests/support/loopback.h"
#include "tests/support/scripted_server.h"

namespace vendor_wire_test {

using namespace test_support;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
namespace json = boost::json;

constexpr const char* secret = "sk-very-secret";

std::string events(const std::vector<std::string>& all, const std::string& type = "text/event-stream") {
  std::string body;
  for (const auto& event : all) body += event + "\n\n";
  return http(200, body, {}, type);
}

// What came, piece by piece.
struct Heard final : models::Listener {
  void text(std::string_view piece) override { texts.emplace_back(piece); }
  void call(std::size_t index, std::string_view id, std::string_view name, std::string_view arguments) override {
    calls +=
        std::to_string(index) + ":" + std::string(id) + "/" + std::string(name) + "/" + std::string(arguments) + ";";
  }
  std::vector<std::string> texts;
  std::string calls;
};

// A conversation with all that there is: a system text, an image, a call and its result.
models::ChatRequest whole_conversation() {
  models::ChatRequest request{.model = "m"};
  request.messages = {{.role = models::Role::system, .content = "Be brief."},
                      {.role = models::Role::user,
                       .content = "What is it?",
                       .parts = {{.text = "What is it?"}, {.url = "data:image/png;base64,AAAA"}}},
                      {.role = models::Role::assistant,
                       .content = "I look.",
                       .tool_calls = {{.id = "call_1", .name = "look", .arguments = R"({"at":"it"})"}}},
                      {.role = models::Role::tool, .content = "a lighthouse", .tool_call_id = "call_1"},
                      {.role = models::Role::user, .content = "Sure?"}};
  request.tools = {{.name = "look", .description = "Looks.", .parameters = json::parse(R"({"type":"object"})")}};
  request.max_tokens = 100;
  request.temperature = 0.5;
  request.stop = {"END"};
  return request;
}

std::unique_ptr<models::Provider> provider_of(const std::string& vendor, const std::string& url,
                                              std::chrono::milliseconds timeout = std::chrono::seconds(5)) {
  models::UpstreamSettings settings{.name = vendor, .base_url = url, .key = secret, .timeout = timeout};
  if (vendor == "anthropic") return std::make_unique<models::AnthropicProvider>(settings);
  if (vendor == "google") return std::make_unique<models::GoogleProvider>(settings);
  return std::make_unique<models::OpenAiProvider>(
      models::OpenAiSettings{.name = vendor, .base_url = url, .key = secret, .timeout = timeout});
}

models::Outcome<models::ChatAnswer> ask(models::Provider& provider, models::ChatRequest request,
                                        models::Listener* listener = nullptr) {
  return await(provider.complete(std::move(request), listener));
}

// What the vendor is asked for a conversation.
json::value asked_of(const std::string& vendor, models::ChatRequest request) {
  ScriptedServer server(std::vector{http(500, "")});
  request.max_tokens = 100;
  EXPECT_FALSE(ask(*provider_of(vendor, server.url()), std::move(request)));
  return server.received().at(0).json();
}

TEST(Vendors, InstructionsAloneAreSentAsAMessage) {
  const models::ChatRequest request{.messages = {{.role = models::Role::system, .content = "Tell a joke."},
                                                 {.role = models::Role::system, .content = "A short one."}}};
  const auto anthropic = asked_of("anthropic", request), google = asked_of("google", request);
  EXPECT_EQ(anthropic.at("messages"),
            json::parse(R"([{"role":"user","content":[{"type":"text","text":"Tell a joke.\n\nA short one."}]}])"));
  EXPECT_FALSE(anthropic.as_object().contains("system"));
  EXPECT_EQ(google.at("contents"),
            json::parse(R"([{"role":"user","parts":[{"text":"Tell a joke.\n\nA short one."}]}])"));
  EXPECT_FALSE(google.as_object().contains("systemInstruction"));
}

TEST(Vendors, RefuseUnsupportedParametersByName) {
  const auto refusal = [](const char* vendor, auto change) {
    auto request = whole_conversation();
    change(request);
    return provider_of(vendor, "http://127.0.0.1:1")->cannot(request).value_or("nothing");
  };
  for (const auto* vendor : {"anthropic", "google"}) {
    EXPECT_EQ(refusal(vendor, [](auto&) {}), "nothing");
  }
  const auto without_question = [](auto& request) { request.messages.erase(request.messages.begin() + 1); };
  EXPECT_THAT(refusal("anthropic", without_question), HasSubstr("messages[1].role must be user"));
}

TEST(Vendors, GetNoBrokenArguments) {
  auto request = whole_conversation();
  for (const auto* broken : {"{\"at\":", "[1]", "it", ""}) {
    request.messages[2].tool_calls[0].arguments = broken;
    EXPECT_EQ(asked_of("anthropic", request).at("messages").at(1).at("content").at(1).at("input"), json::object());
    EXPECT_EQ(asked_of("google", request).at("contents").at(1).at("parts").at(1).at("functionCall").at("args"),
              json::object());
  }
}

TEST(Vendors, DropParametersOfOpenaiWithoutEffect) {
  for (const auto* vendor : {"anthropic", "google"}) {
    auto request = whole_conversation();
    const auto plain = asked_of(vendor, request);
    request.messages[1].name = "Ada";
    request.tools[0].strict = true;
    EXPECT_EQ(provider_of(vendor, "http://127.0.0.1:1")->cannot(request), std::nullopt);
    EXPECT_EQ(asked_of(vendor, request), plain) << vendor;
  }
}

struct Report {
  const char *vendor, *usage;
};
class VendorUsage : public testing::TestWithParam<Report> {};

TEST_P(VendorUsage, IsIgnoredBeyondEveryContext) {
  const bool is_google = std::string_view(GetParam().vendor) == "google";
  const std::string usage = GetParam().usage;
  ScriptedServer server(std::vector{http(
      200, is_google
               ? R"({"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}],"usageMetadata":)" +
                     usage + "}"
               : R"({"content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":)" + usage + "}")});
  const auto answer = ask(*provider_of(GetParam().vendor, server.url()), whole_conversation());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->usage.estimated);
  EXPECT_LT(answer->usage.total(), 10'000);
}

INSTANTIATE_TEST_SUITE_P(
    Reports, VendorUsage,
    testing::Values(Report{"anthropic", R"({"input_tokens":9223372036854775807,"output_tokens":9223372036854775807})"},
                    Report{"anthropic", R"({"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":1e15})"},
                    Report{"anthropic", R"({"input_tokens":1,"output_tokens":2,"cache_creation_input_tokens":-1})"},
                    Report{"google", R"({"promptTokenCount":1000000000000000,"candidatesTokenCount":2})"},
                    Report{"google", R"({"promptTokenCount":1,"candidatesTokenCount":1000000000000000})"},
                    Report{"google", R"({"promptTokenCount":1,"thoughtsTokenCount":"many"})"}));

TEST(Anthropic, TranslatesRequestsAndAnswers) {
  ScriptedServer server(std::vector{http(200, R"({"id":"msg_1","type":"message","role":"assistant","model":"claude-x",
    "content":[{"type":"text","text":"Yes. "},{"type":"tool_use","id":"toolu_1","name":"look","input":{"at":"that"}}],
    "stop_reason":"tool_use","stop_sequence":null,
    "usage":{"input_tokens":10,"cache_creation_input_tokens":3,"cache_read_input_tokens":7,"output_tokens":5}})")});
  auto request = whole_conversation();
  request.options["tool_choice"] = "required";
  request.options["parallel_tool_calls"] = false;
  const auto answer = ask(*provider_of("anthropic", server.url() + "/v1"), request);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->message.content, "Yes. ");
  EXPECT_EQ(answer->finish, models::Finish::tool_calls);
  ASSERT_EQ(answer->message.tool_calls.size(), 1U);
  EXPECT_EQ(answer->message.tool_calls[0].id, "toolu_1");
  EXPECT_EQ(answer->message.tool_calls[0].arguments, R"({"at":"that"})");
  EXPECT_EQ(answer->usage.input, 20) << "fresh, written to the cache and read from it";
  EXPECT_EQ(answer->usage.cached, 7);
  EXPECT_EQ(answer->usage.output, 5);

  const auto asked = server.received().at(0);
  EXPECT_EQ(asked.target, "/v1/messages");
  EXPECT_THAT(asked.head, HasSubstr("x-api-key: sk-very-secret"));
  EXPECT_THAT(asked.head, HasSubstr("anthropic-version: 2023-06-01"));
  EXPECT_EQ(asked.json(), json::parse(R"({"model":"m","max_tokens":100,"system":"Be brief.","temperature":0.5,
    "stop_sequences":["END"],"tool_choice":{"type":"any","disable_parallel_tool_use":true},
    "tools":[{"name":"look","description":"Looks.","input_schema":{"type":"object","properties":{}}}],
    "messages":[
      {"role":"user","content":[{"type":"text","text":"What is it?"},
        {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},
      {"role":"assistant","content":[{"type":"text","text":"I look."},
        {"type":"tool_use","id":"call_1","name":"look","input":{"at":"it"}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"a lighthouse"},
        {"type":"text","text":"Sure?"}]}]})"));
}

const std::vector<std::string> anthropic_stream{
    R"(event: message_start
data: {"type":"message_start","message":{"id":"msg_1","model":"claude-x","usage":{"input_tokens":12,"cache_read_input_tokens":4,"output_tokens":1}}})",
    R"(event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
    "event: ping\ndata: {\"type\": \"ping\"}",
    R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}})",
    R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}})",
    R"(data: {"type":"content_block_stop","index":0})",
    R"(data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"look","input":{}}})",
    R"(data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"at\":"}})",
    R"(data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"1}"}})",
    R"(data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":9}})",
    R"(data: {"type":"message_stop"})"};

TEST(Anthropic, Streams) {
  ScriptedServer server(std::vector{events(anthropic_stream)});
  Heard heard;
  const auto answer = ask(*provider_of("anthropic", server.url()), whole_conversation(), &heard);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(heard.texts, ElementsAre("Hel", "lo"));
  EXPECT_EQ(heard.calls, "0:toolu_1/look/;0://{\"at\":;0://1};");
  EXPECT_EQ(answer->message.content, "Hello");
  EXPECT_EQ(answer->message.tool_calls.at(0).arguments, R"({"at":1})");
  EXPECT_FALSE(answer->message.tool_calls.at(0).malformed);
  EXPECT_EQ(answer->usage.input, 16);
  EXPECT_EQ(answer->usage.output, 9) << "the last count is the total";
  EXPECT_FALSE(answer->usage.estimated);
  EXPECT_EQ(server.received().at(0).json().at("stream"), true);
}

TEST(Anthropic, RefusesUnsupportedRequests) {
  const auto provider = provider_of("anthropic", "http://127.0.0.1:1");
  auto request = whole_conversation();
  EXPECT_FALSE(provider->cannot(request));
  request.options["seed"] = 7;
  EXPECT_THAT(provider->cannot(request).value_or(""), HasSubstr("seed"));
  request.options.clear();
  request.temperature = 1.5;
  EXPECT_THAT(provider->cannot(request).value_or(""), HasSubstr("temperature"));
}

TEST(Google, TranslatesRequestsAndAnswers) {
  ScriptedServer server(std::vector{http(200, R"({"candidates":[{"content":{"role":"model","parts":[
      {"text":"thinking...","thought":true},{"text":"Yes."},{"functionCall":{"name":"look","args":{"at":"that"}}}]},
      "finishReason":"STOP","index":0}],
    "usageMetadata":{"promptTokenCount":20,"cachedContentTokenCount":8,"candidatesTokenCount":5,"thoughtsTokenCount":4,
      "totalTokenCount":29},"modelVersion":"gemini-x","responseId":"r1"})")});
  auto request = whole_conversation();
  request.options["seed"] = 7;
  request.options["response_format"] =
      json::parse(R"({"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}})");
  const auto answer = ask(*provider_of("google", server.url() + "/v1beta"), request);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->message.content, "Yes.") << "thoughts are no part of it";
  EXPECT_EQ(answer->message.tool_calls.at(0).name, "look");
  EXPECT_EQ(answer->usage.input, 20);
  EXPECT_EQ(answer->usage.cached, 8);
  EXPECT_EQ(answer->usage.output, 9) << "thoughts are charged";
  EXPECT_EQ(answer->usage.reasoning, 4);

  const auto asked = server.received().at(0);
  EXPECT_EQ(asked.target, "/v1beta/models/m:generateContent");
  EXPECT_THAT(asked.head, HasSubstr("x-goog-api-key: sk-very-secret"));
  EXPECT_EQ(asked.json(), json::parse(R"({"systemInstruction":{"parts":[{"text":"Be brief."}]},
    "generationConfig":{"maxOutputTokens":100,"temperature":0.5,"stopSequences":["END"],"seed":7,
      "responseMimeType":"application/json","responseJsonSchema":{"type":"object"}},
    "tools":[{"functionDeclarations":[{"name":"look","description":"Looks.","parametersJsonSchema":{"type":"object","properties":{}}}]}],
    "toolConfig":{"functionCallingConfig":{"mode":"AUTO"}},
    "contents":[
      {"role":"user","parts":[{"text":"What is it?"},{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]},
      {"role":"model","parts":[{"text":"I look."},{"functionCall":{"name":"look","args":{"at":"it"}},
        "thoughtSignature":"skip_thought_signature_validator"}]},
      {"role":"user","parts":[{"functionResponse":{"name":"look","response":{"result":"a lighthouse"}}},
        {"text":"Sure?"}]}]})"));
}

const std::vector<std::string> google_stream{
    R"(data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Hel"}]}}],"usageMetadata":{"promptTokenCount":12},"responseId":"r1"})",
    R"(data: {"candidates":[{"content":{"role":"model","parts":[{"text":"lo"}]}}]})",
    R"(data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"look","args":{"at":1}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":9}})"};

TEST(Google, Streams) {
  ScriptedServer server(std::vector{events(google_stream)});
  Heard heard;
  const auto answer = ask(*provider_of("google", server.url()), whole_conversation(), &heard);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(heard.texts, ElementsAre("Hel", "lo"));
  EXPECT_THAT(heard.calls, MatchesRegex(R"(0:call_[0-9a-zA-Z_-]+/look/\{"at":1\};)"));
  EXPECT_EQ(answer->message.content, "Hello");
  EXPECT_EQ(answer->finish, models::Finish::tool_calls);
  EXPECT_EQ(answer->usage.total(), 21);
  EXPECT_EQ(server.received().at(0).target, "/models/m:streamGenerateContent?alt=sse");
}

TEST(Google, ABlockedPromptIsAnAnswer) {
  ScriptedServer server(
      std::vector{http(200, R"({"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":3}})")});
  const auto answer = ask(*provider_of("google", server.url()), whole_conversation());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->finish, models::Finish::content_filter);
  EXPECT_EQ(answer->usage.input, 3);
}

const std::vector<std::string> openai_stream{
    R"(data: {"id":"c1","model":"gpt-x","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})",
    R"(data: {"id":"c1","choices":[{"index":0,"delta":{"content":"Hel"}}]})",
    ": keep-alive",
    R"(data: {"id":"c1","choices":[{"index":0,"delta":{"content":"lo"}}]})",
    R"(data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_9","type":"function","function":{"name":"look","arguments":""}}]}}]})",
    R"(data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"at\":1}"}}]}}]})",
    R"(data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})",
    R"(data: {"id":"c1","choices":null,"usage":{"prompt_tokens":12,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":4}}})",
    "data: [DONE]"};

TEST(OpenAiStream, ComesInPieces) {
  ScriptedServer server(std::vector{events(openai_stream)});
  Heard heard;
  const auto answer = ask(*provider_of("openai", server.url()), whole_conversation(), &heard);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(heard.texts, ElementsAre("Hel", "lo"));
  EXPECT_EQ(heard.calls, "0:call_9/look/;0://{\"at\":1};");
  EXPECT_EQ(answer->message.content, "Hello");
  EXPECT_EQ(answer->usage.input, 12);
  EXPECT_EQ(answer->usage.cached, 4);
  const auto asked = server.received().at(0).json();
  EXPECT_EQ(asked.at("stream"), true);
  EXPECT_EQ(asked.at("stream_options").at("include_usage"), true);
}

TEST(OpenAiStream, EstimatesMissingUsage) {
  auto silent = openai_stream;
  silent.erase(silent.end() - 2);
  ScriptedServer server(std::vector{events(silent)});
  Heard heard;
  const auto answer = ask(*provider_of("local", server.url()), whole_conversation(), &heard);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->usage.estimated);
  EXPECT_GT(answer->usage.output, 0);
}

TEST(OpenAiStream, TakesAWholeAnswerFromAServerThatDoesNotStream) {
  ScriptedServer server(std::vector{says("Hello.")});
  Heard heard;
  const auto answer = ask(*provider_of("local", server.url()), whole_conversation(), &heard);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(heard.texts, ElementsAre("Hello."));
}

// Every vendor, whole and streamed, with every fault.
struct Fault {
  std::string what, answer;
  models::Fault fault;
  bool may_be_billed = false;
};

class VendorFault : public testing::TestWithParam<std::tuple<std::string, bool, Fault>> {};

TEST_P(VendorFault, HasItsFault) {
  const auto& [vendor, streamed, fault] = GetParam();
  ScriptedServer server(std::vector{fault.answer});
  const auto provider = provider_of(vendor, server.url(), std::chrono::milliseconds(250));
  Heard heard;
  const auto answer = ask(*provider, whole_conversation(), streamed ? &heard : nullptr);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, fault.fault) << answer.error().message;
  EXPECT_EQ(answer.error().may_be_billed, fault.may_be_billed) << answer.error().message;
  EXPECT_THAT(answer.error().message, HasSubstr("'" + vendor + "'"));
  EXPECT_THAT(answer.error().message, Not(HasSubstr("very-secret")));
  if (fault.fault == models::Fault::rate_limited) {
    EXPECT_EQ(answer.error().retry_after, std::chrono::seconds(7));
  }
}

const std::vector<Fault> faults{
    {"slow_first_byte", ScriptedServer::stall, models::Fault::timeout, true},
    {"reset", "", models::Fault::unreachable, true},
    {"limited", http(429, R"({"error":{"message":"slow down"}})", "Retry-After: 7\r\n"), models::Fault::rate_limited},
    {"failed", http(500, R"({"error":{"message":"oh no sk-very-secret"}})"), models::Fault::upstream_error},
    {"overloaded", http(529, R"({"type":"error","error":{"type":"overloaded_error","message":"busy"}})"),
     models::Fault::overloaded},
    {"bad_key", http(401, R"({"error":{"message":"bad key sk-very-secret"}})"), models::Fault::bad_key},
    {"too_long", http(400, R"({"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}})"),
     models::Fault::context_too_long},
    {"broken_json", http(200, R"({"content":[{"te)"), models::Fault::bad_answer, true},
    {"another_type", http(200, "<html></html>", {}, "text/html"), models::Fault::bad_answer, true},
    {"cut_in_the_middle", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"a\":",
     models::Fault::unreachable, true}};

INSTANTIATE_TEST_SUITE_P(Vendors, VendorFault,
                         testing::Combine(testing::Values("anthropic", "google", "openai"), testing::Bool(),
                                          testing::ValuesIn(faults)),
                         [](const auto& one) {
                           return std::get<0>(one.param) + (std::get<1>(one.param) ? "_streamed_" : "_") +
                                  std::get<2>(one.param).what;
                         });

// A gateway in the vendor's place may not know streams.
TEST(Vendors, AcceptAWholeAnswerToAStreamedRequest) {
  const std::vector<std::pair<std::string, std::string>> whole{
      {"anthropic", R"({"type":"message","model":"m","content":[{"type":"text","text":"At Fastnet."}],
                        "stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}})"},
      {"google", R"({"candidates":[{"content":{"role":"model","parts":[{"text":"At Fastnet."}]},"finishReason":"STOP"}],
                     "usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2}})"},
      {"openai", R"({"model":"m","choices":[{"message":{"role":"assistant","content":"At Fastnet."},
                     "finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}})"}};
  for (const auto& [vendor, body] : whole) {
    ScriptedServer server(std::vector{http(200, body)});
    Heard heard;
    const auto answer = ask(*provider_of(vendor, server.url()), whole_conversation(), &heard);
    ASSERT_TRUE(answer) << vendor << ": " << answer.error().message;
    EXPECT_THAT(heard.texts, ElementsAre("At Fastnet.")) << vendor;
  }
}

// Nothing was said to it, so nothing can have been used.
TEST(Vendors, AreNotBilledIfUnreachable) {
  const test_support::Loopback server([](test_support::Peer& peer) {
    peer.take(1);
    peer.send("this is no TLS");
  });
  const auto url = "https" + server.url({}).substr(4);
  for (const std::string vendor : {"anthropic", "google", "openai"}) {
    for (const bool streamed : {false, true}) {
      Heard heard;
      const auto answer = ask(*provider_of(vendor, url), whole_conversation(), streamed ? &heard : nullptr);
      ASSERT_FALSE(answer);
      EXPECT_EQ(answer.error().fault, models::Fault::unreachable);
      EXPECT_FALSE(answer.error().may_be_billed) << vendor << answer.error().message;
    }
  }
}

TEST(Vendors, AreNotBilledForAFailedListOfModels) {
  ScriptedServer server(std::vector{ScriptedServer::stall});
  models::OpenAiProvider provider(
      {.name = "local", .base_url = server.url(), .is_local = true, .timeout = std::chrono::milliseconds(200)});
  auto request = whole_conversation();
  request.model.clear();  // so that the first one of the list is asked
  const auto answer = ask(provider, request);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, models::Fault::timeout);
  EXPECT_FALSE(answer.error().may_be_billed);
}

// What can go wrong once a stream has begun.
struct Cut {
  std::string vendor, what;
  std::vector<std::string> stream;
  std::string last;  // after the stream's first three events; empty: nothing more comes
  models::Fault fault;
};

class BrokenStream : public testing::TestWithParam<Cut> {};

TEST_P(BrokenStream, HasItsFault) {
  auto begun = std::vector<std::string>(GetParam().stream.begin(), GetParam().stream.begin() + 2);
  const bool stalls = GetParam().last == "stall";
  if (!GetParam().last.empty() && !stalls) begun.push_back(GetParam().last);
  std::string body;
  for (const auto& event : begun) body += event + "\n\n";
  const auto head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
  const auto answer_bytes = stalls ? ScriptedServer::stall_after + head + "\r\n" + body
                                   : std::string(head) + "Connection: close\r\n\r\n" + body;
  ScriptedServer server(std::vector{answer_bytes});
  const auto provider = provider_of(GetParam().vendor, server.url(), std::chrono::milliseconds(250));
  Heard heard;
  const auto answer = ask(*provider, whole_conversation(), &heard);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, GetParam().fault) << answer.error().message;
  EXPECT_TRUE(answer.error().may_be_billed);
}

INSTANTIATE_TEST_SUITE_P(
    Vendors, BrokenStream,
    testing::Values(Cut{"anthropic", "truncated", anthropic_stream, "", models::Fault::bad_answer},
                    Cut{"anthropic", "stalls", anthropic_stream, "stall", models::Fault::timeout},
                    Cut{"anthropic", "told", anthropic_stream,
                        R"(data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
                        models::Fault::overloaded},
                    Cut{"anthropic", "broken", anthropic_stream, "data: {\"type\":", models::Fault::upstream_error},
                    Cut{"google", "truncated", google_stream, "", models::Fault::bad_answer},
                    Cut{"google", "stalls", google_stream, "stall", models::Fault::timeout},
                    Cut{"google", "told", google_stream,
                        R"(data: {"error":{"code":503,"status":"UNAVAILABLE","message":"busy"}})",
                        models::Fault::overloaded},
                    Cut{"openai", "truncated", openai_stream, "", models::Fault::bad_answer},
                    Cut{"openai", "stalls", openai_stream, "stall", models::Fault::timeout},
                    Cut{"openai", "told", openai_stream,
                        R"(data: {"error":{"type":"rate_limit_exceeded","message":"slow"}})",
                        models::Fault::rate_limited},
                    Cut{"openai", "broken", openai_stream, "data: {", models::Fault::upstream_error}),
    [](const auto& one) { return one.param.vendor + "_" + one.param.what; });

}  // namespace vendor_wire_test
