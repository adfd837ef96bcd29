// An agent's gateway over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "appliance/agent/gateway.h"
#include "appliance/models/providers/openai_wire.h"
#include "tests/agent/agent_process_fixture.h"
#include "web/client/fetch.h"
#include "web/server/server.h"

namespace agent_process::tests {
namespace agent_gateway_test {

using namespace test_support;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
namespace json = boost::json;

class GatewayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    web::ListenerOptions listener;
    listener.name = "agent";
    listener.listen = "127.0.0.1:0";
    listener.routes = gateway.routes();
    listener.error_forms = {models::openai::error_form()};
    server.listen(std::move(listener));
    io.start();
    url = server.url("agent");
  }
  void TearDown() override { io.stop(); }
  web::FetchResponse request(std::string method, std::string path, std::string body = {}, std::string token = "gate",
                             web::FetchHeaders headers = {}) {
    web::FetchRequest fetch{.url = url + path, .method = std::move(method), .body = std::move(body)};
    fetch.headers = std::move(headers);
    if (!token.empty()) fetch.headers.emplace_back("Authorization", "Bearer " + token);
    if (!fetch.body.empty()) fetch.headers.emplace_back("Content-Type", "application/json");
    auto response = await(web::fetch(std::move(fetch)));
    return response ? *response : web::FetchResponse{.body = response.error().message};
  }

  TemporaryFolder folder;
  ScriptedServer model{[](const Received& received) {
    const auto last = last_message(received);
    if (last == "write") return calls("write_file", R"({"path":"a.txt","content":"x"})");
    if (last == "fail") return http(500, "");
    return says("Re: " + last);
  }};
  web::IoPool io{1};  // outlives what the agent's files are still at
  Agent agent{folder.path(), model};
  Gateway gateway{agent.loop, agent.workspace, agent.conversations, agent.files, "gate"};
  web::Server server{io};
  std::string url;
};

TEST_F(GatewayTest, ProbesNeedNoToken) {
  EXPECT_EQ(json::parse(request("GET", "/healthz", "", "").body), json::parse(R"({"ok":true,"status":"live"})"));
  EXPECT_EQ(request("GET", "/health", "", "").status, 200);
  const auto ready = request("GET", "/readyz", "", "");
  EXPECT_EQ(ready.status, 200);
  const auto body = json::parse(ready.body);
  EXPECT_EQ(body.at("ready"), true);
  EXPECT_TRUE(body.at("failing").as_array().empty());
  EXPECT_GE(body.at("uptimeMs").as_int64(), 0);
}

TEST_F(GatewayTest, MessagesNeedTheToken) {
  const std::string hello = R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},
                                            {"role":"user","content":"c"},{"role":"user","content":"d"}]})";
  EXPECT_EQ(request("POST", "/v1/chat/completions", hello, "").status, 401);
  EXPECT_EQ(request("POST", "/v1/chat/completions", hello, "wrong").status, 401);
  EXPECT_EQ(request("GET", "/ws", "", "wrong").status, 401);
  EXPECT_EQ(request("GET", "/v1/models", "", "").status, 401);
  const auto response = request("POST", "/v1/chat/completions", hello);
  ASSERT_EQ(response.status, 200) << response.body;
  const auto body = json::parse(response.body);
  EXPECT_EQ(body.at("choices").at(0).at("message").at("content"), "Re: c\n\nd");
  EXPECT_EQ(body.at("model"), "stand-in");
  EXPECT_EQ(body.at("usage").at("total_tokens"), 15);
}

TEST_F(GatewayTest, KeepsAHistoryForEachConversation) {
  const auto say = [this](std::string text, web::FetchHeaders headers) {
    const json::object message{{"role", "user"}, {"content", text}};
    const auto body = json::serialize(json::object{{"messages", json::array{message}}});
    const auto answer = request("POST", "/v1/chat/completions", body, "gate", std::move(headers));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return json::serialize(model.received().back().json().at("messages"));
  };
  const web::FetchHeaders second{{"agentbox-conversation", "c_2"}};
  const web::FetchHeaders peer{
      {"agentbox-audience", "peer"}, {"agentbox-conversation", "c_2"}, {"agentbox-peer", "p_1"}};
  say("heron", {});
  EXPECT_THAT(say("pelican", second), Not(HasSubstr("heron")));
  EXPECT_THAT(say("ibis", peer), Not(AnyOf(HasSubstr("heron"), HasSubstr("pelican"))));
  EXPECT_THAT(say("again", second), AllOf(HasSubstr("pelican"), Not(HasSubstr("ibis"))));
  EXPECT_THAT(say("again", peer), AllOf(HasSubstr("ibis"), Not(HasSubstr("pelican"))));
  EXPECT_THAT(say("again", {}), AllOf(HasSubstr("heron"), Not(HasSubstr("pelican"))));

  EXPECT_EQ(request("DELETE", "/v1/conversations/c_2").status, 200);
  EXPECT_THAT(say("anew", second), Not(HasSubstr("pelican")));
  EXPECT_THAT(say("still", peer), HasSubstr("ibis")) << "a peer's conversation of the same name is another one";
  EXPECT_EQ(request("DELETE", "/v1/peers/p_1").status, 200);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / ".agentbox" / "peers" / "p_1"));
  EXPECT_THAT(say("anew", peer), Not(HasSubstr("ibis")));
  EXPECT_EQ(request("DELETE", "/v1/conversations/first").status, 200);
  EXPECT_THAT(say("anew", {}), Not(HasSubstr("heron")));
  EXPECT_EQ(request("POST", "/v1/chat/completions", R"({"messages":[{"role":"user","content":"x"}]})", "gate",
                    {{"agentbox-conversation", "../../escape"}})
                .status,
            400);
  EXPECT_EQ(request("DELETE", "/v1/conversations/c_3", "", "wrong").status, 401);
}

TEST_F(GatewayTest, AHistoryOfItsOwnBeginsAConversation) {
  const auto asked = [this](std::string body) {
    EXPECT_EQ(request("POST", "/v1/chat/completions", std::move(body)).status, 200);
    const auto messages = model.received().back().json().at("messages").as_array();
    std::vector<std::string> texts;
    for (std::size_t i = 1; i < messages.size(); ++i) texts.emplace_back(messages[i].at("content").as_string());
    return texts;
  };
  asked(R"({"messages":[{"role":"user","content":"mine"}]})");
  const std::string start = R"({"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"},)"
                            R"({"role":"assistant","content":"b"},)";
  EXPECT_THAT(asked(start + R"({"role":"user","content":"c"}]})"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(asked(start + R"({"role":"user","content":"c"},{"role":"assistant","content":"d"},
                               {"role":"user","content":"e"}]})"),
              ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(asked(R"({"messages":[{"role":"user","content":"mine again"}]})"),
              ElementsAre("mine", "Re: mine", "mine again"));
}

TEST_F(GatewayTest, AnswersErrorsInTheOpenAiForm) {
  const auto bad = request("POST", "/v1/chat/completions", R"({"messages":[{"role":"robot","content":"x"}]})");
  EXPECT_EQ(bad.status, 400);
  EXPECT_EQ(json::parse(bad.body).at("error").at("type"), "invalid_request_error");
  EXPECT_EQ(request("POST", "/v1/chat/completions", "{").status, 400);
  EXPECT_EQ(request("POST", "/v1/chat/completions", R"({"messages":[{"role":"system","content":"x"}]})").status, 400);
  const auto failed = request("POST", "/v1/chat/completions", R"({"messages":[{"role":"user","content":"fail"}]})");
  EXPECT_EQ(failed.status, 502);
  EXPECT_THAT(failed.body, HasSubstr("status 500"));
}

TEST_F(GatewayTest, StreamsAnswersAndErrors) {
  const auto streamed =
      request("POST", "/v1/chat/completions", R"({"stream":true,"messages":[{"role":"user","content":"write"}]})");
  EXPECT_EQ(streamed.status, 200);
  EXPECT_THAT(streamed.header("content-type"), HasSubstr("text/event-stream"));
  EXPECT_THAT(streamed.body, HasSubstr(R"("agentbox":{"step":"tool_call")"));
  EXPECT_THAT(streamed.body, HasSubstr(R"("agentbox":{"step":"tool_result")"));
  EXPECT_THAT(streamed.body, HasSubstr("chat.completion.chunk"));
  EXPECT_THAT(streamed.body, HasSubstr("data: [DONE]"));
  const auto failed =
      request("POST", "/v1/chat/completions", R"({"stream":true,"messages":[{"role":"user","content":"fail"}]})");
  EXPECT_THAT(failed.body, HasSubstr("server_error"));
}

// A WebSocket client of a few lines: short text frames, masked with zeros.
class Socket {
 public:
  Socket(const std::string& url, const std::string& target) {
    const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    fd_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) throw std::runtime_error("connect");
    write("GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
          "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    while (head.find("\r\n\r\n") == std::string::npos) head += take(1);
  }
  ~Socket() { ::close(fd_); }

  void say(const std::string& text) {
    std::string frame = "\x81";
    if (text.size() < 126) {
      frame += static_cast<char>(0x80 | text.size());
    } else {
      frame += static_cast<char>(0x80 | 126);
      frame += static_cast<char>(text.size() >> 8);
      frame += static_cast<char>(text.size() & 0xFF);
    }
    write(frame + std::string(4, '\0') + text);
  }
  json::value hear() {
    const auto start = take(2);
    std::size_t size = static_cast<unsigned char>(start[1]) & 0x7F;
    if (size == 126) {
      const auto length = take(2);
      size =
          static_cast<std::size_t>(static_cast<unsigned char>(length[0]) << 8 | static_cast<unsigned char>(length[1]));
    }
    return json::parse(take(size));
  }

  std::string head;

 private:
  void write(const std::string& bytes) {
    if (::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("send");
  }
  std::string take(std::size_t count) {
    std::string bytes(count, '\0');
    for (std::size_t have = 0; have < count;) {
      pollfd ready{.fd = fd_, .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, 10'000) != 1) throw std::runtime_error("the gateway says nothing");
      const auto got = ::recv(fd_, bytes.data() + have, count - have, 0);
      if (got <= 0) throw std::runtime_error("the gateway hung up after: " + head);
      have += static_cast<std::size_t>(got);
    }
    return bytes;
  }
  int fd_ = -1;
};

TEST_F(GatewayTest, ServesAWebSocket) {
  Socket socket(url, "/ws?token=gate");
  ASSERT_THAT(socket.head, HasSubstr("101"));
  socket.say(R"({"type":"message","content":"write"})");
  const auto call = socket.hear();
  EXPECT_EQ(call.at("type"), "tool_call");
  EXPECT_EQ(call.at("name"), "write_file");
  const auto result = socket.hear();
  EXPECT_EQ(result.at("type"), "tool_result");
  EXPECT_EQ(result.at("failed"), false);
  EXPECT_GE(result.at("durationMs").as_int64(), 0);
  EXPECT_EQ(socket.hear().at("type"), "delta");
  const auto answer = socket.hear();
  EXPECT_EQ(answer.at("type"), "message");
  EXPECT_EQ(answer.at("model"), "stand-in");
  for (const auto* bad :
       {"{", "[]", R"({"type":"shout"})", R"({"type":"message"})", R"({"type":"message","content":" "})"}) {
    socket.say(bad);
    EXPECT_EQ(socket.hear().at("type"), "error") << bad;
  }
  socket.say(R"({"type":"message","content":"fail"})");
  EXPECT_THAT(std::string(socket.hear().at("error").as_string()), HasSubstr("status 500"));
  socket.say(R"({"type":"message","content":"still there?"})");
  EXPECT_EQ(socket.hear().at("type"), "delta");
  EXPECT_EQ(socket.hear().at("content"), "Re: still there?");
}

}  // namespace agent_gateway_test
}  // namespace agent_process::tests
