// What MCP servers say, and what is said to them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "appliance/hosting/mcp_servers/mcp_servers.h"
#include "appliance/hosting/mcp_servers/wire.h"

namespace mcp_servers {
namespace mcp_wire_test {

namespace json = boost::json;
using testing::ElementsAre;
using testing::Pair;

std::optional<json::object> read(std::string_view type, std::string_view body, std::size_t piece = 1) {
  AnswerReader reader(7);
  reader.set_content_type(type);
  for (; !body.empty(); body.remove_prefix(std::min(piece, body.size())))
    if (!reader.feed(body.substr(0, piece))) break;
  return reader.take();
}

TEST(McpAnswer, IsTheOneToTheRequest) {
  EXPECT_TRUE(read("application/json", R"({"jsonrpc":"2.0","id":7,"result":{}})"));
  EXPECT_TRUE(read("application/json", R"({"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no"}})"));
  EXPECT_TRUE(read("application/json", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}})"));
  EXPECT_TRUE(read("application/json", R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"no"}})"));
  for (const auto* other : {R"({"id":8,"result":{}})", R"({"id":"7","result":{}})", R"({"id":7})", "[]", "x", "",
                            R"({"result":{}})", R"({"id":7,"result":{},"result":{}})"})
    EXPECT_FALSE(read("application/json", other)) << other;
}

TEST(McpAnswer, IsFoundInAStreamHoweverItIsCut) {
  const std::string stream =
      ": hello\r\n\r\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"
      "data: {\"id\":6,\"result\":{}}\n\nid: 3\ndata: {\"id\":7,\ndata: \"result\":{\"a\":1}}\n\ndata: "
      "{\"id\":7,\"result\":{}}\n\n";
  for (std::size_t piece = 1; piece < stream.size(); ++piece) {
    const auto answer = read("text/event-stream; charset=utf-8", stream, piece);
    ASSERT_TRUE(answer) << piece;
    EXPECT_EQ(json::serialize(*answer), R"({"id":7,"result":{"a":1}})");
  }
  EXPECT_FALSE(read("text/event-stream", "data: {\"id\":7,\"result\":{}}"));
}

TEST(McpAnswer, ListsValidTools) {
  const auto result = json::parse(R"({"tools":[{"name":"a","description":"A","inputSchema":{"type":"object"}},
      {"name":"b","title":"B","inputSchema":{}},{"name":"","inputSchema":{}},{"name":"c"},{"name":"d","inputSchema":7},7]})");
  const auto tools = tools_in(result.as_object());
  ASSERT_EQ(tools.size(), 2u);
  EXPECT_EQ(tools[0].description, "A");
  EXPECT_EQ(tools[1].description, "B");
  EXPECT_TRUE(tools_in({}).empty());
}

TEST(McpAnswer, IsTextForTheModel) {
  const auto answer =
      answer_in(json::parse(R"({"content":[{"type":"text","text":"a"},{"type":"audio","mimeType":"audio/wav"},
          {"type":"resource","resource":{"uri":"u:1","text":"b"}},{"type":"resource","resource":{"uri":"u:2"}},
          {"type":"resource_link","name":"n","uri":"u:3"},7],"structuredContent":{"x":1},"isError":true})")
                    .as_object());
  EXPECT_EQ(answer.text, "a\n[audio, audio/wav, not shown]\nb\n[resource u:2]\n[n: u:3]");
  EXPECT_EQ(json::serialize(*answer.structured), R"({"x":1})");
  EXPECT_TRUE(answer.is_error);
}

TEST(McpHeaders, CarryWhatTheSchemaWants) {
  const auto schema = json::parse(R"({"properties":{"region":{"type":"string","x-mcp-header":"Region"},
      "n":{"type":"integer","x-mcp-header":"Count"},"other":{"type":"string"},"missing":{"x-mcp-header":"Missing"},
      "deep":{"type":"object","properties":{"on":{"type":"boolean","x-mcp-header":"On"}}}}})");
  const auto arguments = json::parse(R"({"region":"Köln","n":3,"other":"x","deep":{"on":true}})");
  EXPECT_THAT(parameter_headers(schema.as_object(), arguments.as_object()),
              ElementsAre(Pair("Mcp-Param-Region", "=?base64?S8O2bG4=?="), Pair("Mcp-Param-Count", "3"),
                          Pair("Mcp-Param-On", "true")));
  EXPECT_EQ(header_value("plain"), "plain");
  EXPECT_EQ(header_value(" a"), "=?base64?IGE=?=");
  EXPECT_EQ(header_value("a\r\nb"), "=?base64?YQ0KYg==?=");
  EXPECT_EQ(header_value("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
}

TEST(McpNames, AreWhatModelsAccept) {
  EXPECT_EQ(exposed_name("sky", "forecast"), "sky__forecast");
  for (const auto& tool : {std::string("a.b"), std::string("a/b"), std::string(100, 'x'), std::string("\xC3\xA4")}) {
    const auto name = exposed_name("sky", tool);
    EXPECT_THAT(name, testing::MatchesRegex("sky__[A-Za-z0-9_-]+"));
    EXPECT_LE(name.size(), 64u);
  }
  EXPECT_NE(exposed_name("sky", "a.b"), exposed_name("sky", "a/b"));
  EXPECT_NE(exposed_name("sky", std::string(100, 'x')), exposed_name("sky", std::string(101, 'x')));
}

}  // namespace mcp_wire_test
}  // namespace mcp_servers
