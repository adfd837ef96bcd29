// Who signs users in for an MCP server, and what its questions to the owner admit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "appliance/hosting/mcp_servers/discovery.h"
#include "appliance/hosting/mcp_servers/question.h"
#include "appliance/hosting/mcp_servers/wire.h"

namespace mcp_servers {
namespace mcp_discovery_test {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(McpChallenge, HasItsParameters) {
  const std::string header =
      R"(Basic realm="x", Bearer realm="a, resource_metadata=b", resource_metadata="https://a.example/m", scope=read)";
  EXPECT_EQ(challenge_parameter(header, "resource_metadata"), "https://a.example/m");
  EXPECT_EQ(challenge_parameter(header, "scope"), "read");
  EXPECT_EQ(challenge_parameter(R"(Bearer scope="a \"b\"")", "scope"), R"(a "b")");
  EXPECT_EQ(challenge_parameter("Bearer", "scope"), "");
  EXPECT_EQ(challenge_parameter("scope=x", "scope"), "");
}

TEST(McpDiscovery, AsksWhereTheStandardsSay) {
  EXPECT_THAT(resource_metadata_urls("https://a.example/one/mcp"),
              ElementsAre("https://a.example/.well-known/oauth-protected-resource/one/mcp",
                          "https://a.example/.well-known/oauth-protected-resource"));
  EXPECT_THAT(resource_metadata_urls("https://a.example/"),
              ElementsAre("https://a.example/.well-known/oauth-protected-resource"));
  EXPECT_THAT(issuer_metadata_urls("https://a.example/tenant"),
              ElementsAre("https://a.example/.well-known/oauth-authorization-server/tenant",
                          "https://a.example/.well-known/openid-configuration/tenant",
                          "https://a.example/tenant/.well-known/openid-configuration"));
  EXPECT_TRUE(issuer_metadata_urls("javascript:x").empty());
}

TEST(McpDiscovery, BelievesMetadataOfTheServerOnly) {
  EXPECT_TRUE(covers("https://a.example", "https://a.example/mcp"));
  EXPECT_TRUE(covers("https://a.example/mcp", "https://a.example/mcp"));
  EXPECT_TRUE(covers("https://a.example/team/", "https://a.example/team/mcp"));
  for (const auto* other : {"https://a.example/mcp/deeper", "https://a.example/m", "http://a.example/mcp",
                            "https://a.example:8443/mcp", "https://b.example/mcp", "", "mcp"})
    EXPECT_FALSE(covers(other, "https://a.example/mcp")) << other;
}

std::string problem_of(const char* schema, const char* content) {
  const auto checked = check_content(json::parse(schema).as_object(), json::parse(content).as_object());
  return checked ? "" : checked.error().message;
}

TEST(McpQuestion, AdmitsWhatItsSchemaAdmits) {
  constexpr auto schema = R"({"type":"object","required":["name"],"properties":{
      "name":{"type":"string","minLength":2,"maxLength":4},"age":{"type":"integer","minimum":1,"maximum":9},
      "share":{"type":"number"},"sure":{"type":"boolean"},"pick":{"type":"string","enum":["a","b"]},
      "hero":{"type":"string","oneOf":[{"const":"h1","title":"One"}]},
      "many":{"type":"array","minItems":1,"maxItems":2,"items":{"anyOf":[{"const":"x"},{"const":"y"},{"const":"z"}]}}}})";
  EXPECT_EQ(problem_of(schema, R"({"name":"Ada","age":9,"share":0.5,"sure":false,"pick":"b","hero":"h1",
      "many":["x","y"]})"),
            "");
  EXPECT_EQ(problem_of(schema, R"({"name":"Köln"})"), "");
  for (const auto& [content, field] :
       {std::pair("{}", "content.name is required"), std::pair(R"({"name":"A"})", "content.name must be at least 2"),
        std::pair(R"({"name":"Ada L"})", "content.name must be at most 4"),
        std::pair(R"({"name":7})", "content.name must be text"),
        std::pair(R"({"name":"Ada","age":0})", "content.age must be at least 1"),
        std::pair(R"({"name":"Ada","age":1.5})", "content.age must be a whole number"),
        std::pair(R"({"name":"Ada","share":"1"})", "content.share must be a number"),
        std::pair(R"({"name":"Ada","sure":"yes"})", "content.sure must be true or false"),
        std::pair(R"({"name":"Ada","pick":"c"})", "content.pick must be one of"),
        std::pair(R"({"name":"Ada","hero":"One"})", "content.hero must be one of"),
        std::pair(R"({"name":"Ada","many":[]})", "content.many must be at least 1"),
        std::pair(R"({"name":"Ada","many":["x","y","z"]})", "content.many must be at most 2"),
        std::pair(R"({"name":"Ada","many":["w"]})", "content.many must be one of"),
        std::pair(R"({"name":"Ada","more":1})", "content.more is not a field")})
    EXPECT_THAT(problem_of(schema, content), HasSubstr(field)) << content;
  EXPECT_EQ(problem_of("{}", "{}"), "");
}

TEST(McpQuestion, OfTheCurrentFormAreAskedOneAfterTheOther) {
  const auto result = json::parse(R"({"resultType":"input_required","requestState":"s","inputRequests":{
      "a":{"method":"elicitation/create","params":{"message":"A?"}},
      "b":{"method":"elicitation/create","params":{"message":"B?"}}}})");
  auto retry = retry_of(result.as_object());
  ASSERT_TRUE(retry);
  const auto first = next_question(*retry, {});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->params.at("message"), "A?");
  const auto second = next_question(*retry, {{"action", "accept"}});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->params.at("message"), "B?");
  EXPECT_FALSE(next_question(*retry, {{"action", "decline"}}));
  json::object params;
  add_retry(params, *retry);
  EXPECT_EQ(json::serialize(params),
            R"({"inputResponses":{"a":{"action":"accept"},"b":{"action":"decline"}},"requestState":"s"})");
  EXPECT_FALSE(retry_of(json::parse(R"({"inputRequests":{"a":{"method":"sampling/createMessage"}}})").as_object()));
}

}  // namespace mcp_discovery_test
}  // namespace mcp_servers
