// What a request to the MCP server says, in the stateless form and the one with sessions.
#include <gmock/gmock.h>

#include "appliance/network/mcp_server/protocol.h"
#include "appliance/network/mcp_server/sessions.h"

namespace mcp_protocol_test {

using mcp_server::Code;
using mcp_server::parse_message;
using mcp_server::Sessions;

class McpMessage : public testing::Test {
 protected:
  mcp_server::Parsed parse(std::string_view body) {
    request.body = body;
    return parse_message(request);
  }
  // -1: it is accepted.
  int code(std::string_view body) {
    const auto parsed = parse(body);
    return parsed.error ? static_cast<int>(parsed.error->code) : -1;
  }
  web::Request request;
};

constexpr std::string_view list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
constexpr std::string_view stateless_list =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})";

TEST_F(McpMessage, WithoutAVersionIsOfTheSessionForm) {
  const auto parsed = parse(list);
  ASSERT_FALSE(parsed.error);
  EXPECT_FALSE(parsed.message.is_stateless);
  EXPECT_EQ(parsed.message.method, "tools/list");
  request.headers = {{"mcp-protocol-version", "2025-06-18"}};
  EXPECT_EQ(code(list), -1);
  request.headers = {{"mcp-protocol-version", "1900-01-01"}};
  EXPECT_EQ(code(list), -32022);
}

TEST_F(McpMessage, OfTheStatelessFormSaysTheSameInItsHeaders) {
  EXPECT_EQ(code(stateless_list), -32020) << "without headers";
  request.headers = {{"mcp-protocol-version", "2026-07-28"}};
  EXPECT_EQ(code(stateless_list), -32020) << "without Mcp-Method";
  EXPECT_EQ(code(list), -32020) << "the header alone";
  request.headers = {{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", "tools/list"}};
  EXPECT_EQ(code(stateless_list), -1);
  EXPECT_TRUE(parse(stateless_list).message.is_stateless);
}

TEST_F(McpMessage, IsOneJsonRpcMessage) {
  EXPECT_EQ(code("{"), -32700);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","jsonrpc":"2.0","method":"ping"})"), -32700);
  for (const auto* wrong :
       {"[]", "7", "{}", R"({"jsonrpc":"2.0"})", R"({"jsonrpc":"2","method":"ping"})",
        R"({"jsonrpc":"2.0","method":7})", R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":null,"method":"ping"})", R"({"jsonrpc":"2.0","method":"ping","params":[]})"})
    EXPECT_EQ(code(wrong), -32600) << wrong;
  EXPECT_EQ(parse(R"({"jsonrpc":"2.0","id":"a","method":7})").error->status, 400);
}

TEST(McpVersions, AreNegotiated) {
  EXPECT_EQ(mcp_server::negotiated_version(boost::json::object{{"protocolVersion", "2025-03-26"}}), "2025-03-26");
  EXPECT_EQ(mcp_server::negotiated_version(boost::json::object{{"protocolVersion", "1900-01-01"}}), "2025-11-25");
  EXPECT_EQ(mcp_server::negotiated_version(boost::json::object()), "2025-11-25");
}

TEST(McpSessions, AreOfTheirCallerAndEnd) {
  Sessions sessions;
  const Sessions::Clock::time_point now{};
  const web::Caller ada{.user_id = 1, .credential = "key-1"}, other_key{.user_id = 1, .credential = "key-2"},
      eve{.user_id = 2, .credential = "key-1"};
  const auto id = sessions.begin(ada, now);
  EXPECT_TRUE(sessions.use(id, ada, now));
  EXPECT_FALSE(sessions.use(id, other_key, now));
  EXPECT_FALSE(sessions.use(id, eve, now));
  EXPECT_FALSE(sessions.end(id, eve));
  EXPECT_TRUE(sessions.use(id, ada, now + std::chrono::minutes(59)));
  EXPECT_TRUE(sessions.use(id, ada, now + std::chrono::minutes(118)));
  EXPECT_FALSE(sessions.use(id, ada, now + std::chrono::minutes(179)));
  const auto second = sessions.begin(ada, now);
  EXPECT_TRUE(sessions.end(second, ada));
  EXPECT_FALSE(sessions.use(second, ada, now));
  const auto first_of_many = sessions.begin(ada, now);
  for (int n = 0; n < 10'000; ++n) sessions.begin(eve, now);
  EXPECT_FALSE(sessions.use(first_of_many, ada, now)) << "the oldest makes room";
}

}  // namespace mcp_protocol_test
