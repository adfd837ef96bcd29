// The agent as a whole: its loop against a stand-in model, its gateway over real sockets, its process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "appliance/hosting/agent_process/agent_process.h"
#include "appliance/hosting/agent_process/boot_file.h"
#include "appliance/hosting/agent_process/gateway.h"
#include "appliance/hosting/agent_process/loop.h"
#include "appliance/models/builtin/builtin.h"
#include "appliance/models/providers/openai_wire.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"
#include "web/fetch.h"
#include "web/server.h"

namespace {

using namespace agent_process;
using namespace test_support;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace json = boost::json;
namespace fs = std::filesystem;

// One agent without its process: everything `run` builds, against a scripted model.
struct Agent {
  Agent(const fs::path& folder, const ScriptedServer& model_server, LoopOptions loop_options = {})
      : options(std::move(loop_options)),
        workspace(folder),
        repository(folder, {"/.agentbox/conversation.jsonl*"}),
        memory(workspace.state_folder_path()),
        conversation(workspace.state("conversation.jsonl"), options.window_bytes),
        model(model_server.url(), "box-token", "vendor/model"),
        toolbox(tools()),
        loop(options, model, toolbox, conversation, memory, repository, files) {}

  std::vector<Tool> tools() {
    auto all = file_tools(workspace, files);
    for (auto& tool : memory_tools(memory, files)) all.push_back(std::move(tool));
    for (auto& tool : git_tools(repository, files)) all.push_back(std::move(tool));
    return all;
  }
  web::Result<Reply> say(std::string text) { return await(loop.turn(std::move(text))); }

  boost::asio::thread_pool files{1};
  LoopOptions options;
  Workspace workspace;
  Repository repository;
  Memory memory;
  Conversation conversation;
  ModelClient model;
  Toolbox toolbox;
  Loop loop;
};

// The content of the last message the model was sent.
std::string last_message(const Received& request) {
  return std::string(request.json().at("messages").as_array().back().at("content").as_string());
}

class LoopTest : public testing::Test {
 protected:
  TemporaryFolder folder;
};

TEST_F(LoopTest, AnswersAndKeepsTheConversation) {
  ScriptedServer server(std::vector{says("Good morning."), says("You said hello.")});
  {
    Agent agent(folder.path(), server);
    const auto reply = agent.say("Hello");
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->text, "Good morning.");
    EXPECT_EQ(reply->model, "stand-in");
    EXPECT_EQ(reply->usage.total(), 15);
  }
  Agent again(folder.path(), server);
  ASSERT_TRUE(again.say("What did I say?"));
  const auto requests = server.received();
  EXPECT_EQ(requests[0].target, "/v1/chat/completions");
  EXPECT_THAT(requests[0].head, HasSubstr("Authorization: Bearer box-token"));
  EXPECT_EQ(requests[0].json().at("model"), "vendor/model");
  const auto messages = requests[1].json().at("messages").as_array();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0].at("role"), "system");
  EXPECT_EQ(messages[1].at("content"), "Hello");
  EXPECT_EQ(messages[2].at("content"), "Good morning.");
}

TEST_F(LoopTest, RunsToolsAndCommitsWhatChanged) {
  ScriptedServer server(std::vector{calls("write_file", R"({"path":"poem.txt","content":"Roses"})"),
                                    calls("remember", R"({"text":"Likes roses"})"), says("Written.")});
  Agent agent(folder.path(), server);
  const auto reply = agent.say("Write a poem\nabout roses");
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->text, "Written.");
  EXPECT_EQ(reply->usage.input, 30);
  EXPECT_EQ(*agent.workspace.read("poem.txt"), "Roses");
  EXPECT_THAT(last_message(server.received()[1]), HasSubstr("\"size\":5"));
  const auto log = agent.repository.log(10);
  ASSERT_THAT(log, SizeIs(1));
  EXPECT_EQ(log[0].subject, "Turn: Write a poem");
  EXPECT_THAT(agent.repository.status(10), IsEmpty()) << "the conversation is not for git";

  ASSERT_TRUE(agent.say("And now?"));
  EXPECT_THAT(server.received().back().body, HasSubstr("- Likes roses")) << "what it remembers is in its prompt";
  EXPECT_THAT(agent.repository.log(10), SizeIs(1)) << "a turn that changed nothing makes no commit";
}

TEST_F(LoopTest, FollowsTheInstructionsOfItsOwner) {
  ScriptedServer server(std::vector{says("Arr."), says("Good day.")});
  const runtime::AgentProfile conduct{.instructions = "Speak like a pirate.\nNever of gold.",
                                      .temperature = 0.25,
                                      .top_p = 0.5,
                                      .max_tokens = 321,
                                      .tools = {},
                                      .specialization = "booking"};
  ASSERT_TRUE(Agent(folder.path(), server, {.agent_name = "Scout", .conduct = conduct}).say("Hello"));
  ASSERT_TRUE(Agent(folder.path(), server, {.agent_name = "Scout", .conduct = {.instructions = " \n"}}).say("Hello"));
  const auto requests = server.received();
  const auto told = [](const Received& request) {
    return std::string(request.json().at("messages").at(0).at("content").as_string());
  };
  EXPECT_THAT(told(requests[0]), HasSubstr("You are Scout"));
  EXPECT_THAT(told(requests[0]), HasSubstr("Your specialization: booking."));
  EXPECT_THAT(told(requests[0]), HasSubstr("Speak like a pirate.\nNever of gold."));
  EXPECT_EQ(requests[0].json().at("temperature"), 0.25);
  EXPECT_EQ(requests[0].json().at("top_p"), 0.5);
  EXPECT_EQ(requests[0].json().at("max_tokens"), 321);
  EXPECT_THAT(told(requests[1]), testing::Not(HasSubstr("instructions:"))) << "blank ones are none";
  for (const auto* name : {"temperature", "top_p", "max_tokens"})
    EXPECT_FALSE(requests[1].json().as_object().contains(name)) << name << " is left to the model";
}

TEST_F(LoopTest, LetsTheModelCorrectInvalidCalls) {
  ScriptedServer server(std::vector{
      calls("fly_to_the_moon", "{}"), calls("write_file", "{\"path\": \"a.txt\", \"cont"),
      calls("write_file", R"({"path":"a.txt"})"), calls("write_file", R"({"path":"../a.txt","content":"x"})"),
      calls("write_file", R"({"path":"a.txt","content":"right"})"), says("Done at last.")});
  Agent agent(folder.path(), server);
  const auto reply = agent.say("Write a file");
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->text, "Done at last.");
  EXPECT_EQ(*agent.workspace.read("a.txt"), "right");
  const auto requests = server.received();
  ASSERT_EQ(requests.size(), 6u);
  EXPECT_THAT(last_message(requests[1]), HasSubstr("no tool named 'fly_to_the_moon'"));
  EXPECT_THAT(last_message(requests[2]), HasSubstr("The arguments' text is not"));
  EXPECT_THAT(last_message(requests[3]), HasSubstr("content is required"));
  EXPECT_THAT(last_message(requests[4]), HasSubstr("'..'"));
}

struct Broken {
  std::string name, answer, message;
};

class BrokenModel : public testing::TestWithParam<Broken> {};

TEST_P(BrokenModel, IsASentenceAndTheNextTurnWorks) {
  TemporaryFolder folder;
  ScriptedServer server(std::vector{GetParam().answer, says("Better now.")});
  Agent agent(folder.path(), server);
  const auto failed = agent.say("Hello");
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr(GetParam().message));
  const auto reply = agent.say("Again");
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->text, "Better now.");
  const auto messages = server.received().back().json().at("messages").as_array();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[2].at("role"), "assistant") << "roles alternate";
}

INSTANTIATE_TEST_SUITE_P(
    Answers, BrokenModel,
    testing::Values(Broken{"no_choices", http(200, R"({"choices":null})"), "without choices"},
                    Broken{"not_json", http(200, "<html>", "", "text/html"), "not a JSON object"},
                    Broken{"truncated", "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"choi", "cannot be reached"},
                    Broken{"hung_up", "", "cannot be reached"},
                    Broken{"server_error", http(500, "boom", "", "text/plain"), "status 500"},
                    Broken{"openai_error", http(429, R"({"error":{"message":"Slow down.","code":"rate_limited"}})"),
                           "Slow down."},
                    Broken{"box_error", http(503, R"({"error":"No model is configured"})"), "No model is configured"},
                    Broken{"empty", says("  "), "empty answer"}),
    [](const auto& instance) { return instance.param.name; });

TEST_F(LoopTest, GivesUpAfterTheLastRound) {
  ScriptedServer server(std::vector{calls("list_files", "{}")});
  Agent agent(folder.path(), server, {.most_rounds = 3});
  const auto reply = agent.say("Loop");
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message, HasSubstr("gave up"));
  const auto requests = server.received();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_TRUE(requests[1].json().as_object().contains("tools"));
  EXPECT_FALSE(requests[2].json().as_object().contains("tools")) << "the last round asks for an answer";
}

TEST_F(LoopTest, EndsAtItsDeadline) {
  ScriptedServer server(std::vector{ScriptedServer::stall});
  Agent agent(folder.path(), server, {.turn_time = std::chrono::milliseconds(200)});
  const auto reply = agent.say("Hello");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, web::Kind::timeout);
}

TEST_F(LoopTest, SendsLessWhenTheContextIsTooLong) {
  int refused = 0;
  ScriptedServer server([&refused](const Received& request) {
    if (request.body.size() < 30'000) return says("Short enough.");
    ++refused;
    return http(400, R"({"error":{"message":"context","code":"context_length_exceeded"}})");
  });
  Agent agent(folder.path(), server);
  for (int i = 0; i < 20; ++i) {
    agent.conversation.append({{.role = models::Role::user, .content = std::string(2'000, 'q')},
                               {.role = models::Role::assistant, .content = std::string(2'000, 'a')}});
  }
  const auto reply = agent.say("Hello");
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_GT(refused, 0);
  EXPECT_EQ(last_message(server.received().back()), "Hello");
}

TEST_F(LoopTest, HandlesOneMessageAtATime) {
  std::atomic<int> asked = 0;
  ScriptedServer server([&asked](const Received& request) {
    ++asked;
    return says("Re: " + last_message(request));
  });
  Agent agent(folder.path(), server, {.most_waiting = 2});
  std::vector<std::string> answers(4);
  const auto all = [&]() -> web::Task<int> {
    const auto executor = co_await boost::asio::this_coro::executor;
    int done = 0;
    const auto one = [&](std::size_t i) -> web::Task<> {
      const auto reply = co_await agent.loop.turn("message " + std::to_string(i));
      answers[i] = reply ? reply->text : reply.error().message;
      ++done;
    };
    for (std::size_t i = 0; i < answers.size(); ++i) boost::asio::co_spawn(executor, one(i), boost::asio::detached);
    while (done < 4) co_await web::sleep_for(std::chrono::milliseconds(1));
    co_return done;
  };
  await(all());
  EXPECT_EQ(answers[0], "Re: message 0");
  EXPECT_EQ(answers[1], "Re: message 1");
  EXPECT_EQ(answers[2], "Re: message 2");
  EXPECT_THAT(answers[3], HasSubstr("busy")) << "the queue is bounded";
  EXPECT_EQ(asked, 3);
}

// What an air-gapped box shows: the builtin model drives the real tools, and tells what they brought back.
TEST_F(LoopTest, WorksWithTheBuiltinModel) {
  ScriptedServer builtin([](const Received& received) {
    auto request = models::openai::parse_request(received.json());
    if (!request) return http(400, json::serialize(models::openai::error_body(request.error())));
    return http(200, json::serialize(models::openai::to_wire(models::builtin_answer(*request))));
  });
  Agent agent(folder.path(), builtin);
  const std::vector<std::pair<std::string, std::string>> story{
      {"write Roses are red to file poem.txt", "I wrote 13 bytes to poem.txt."},
      {"read file poem.txt", "Roses are red"},
      {"list files", "- poem.txt"},
      {"remember that the harbour opens at nine", "I will remember: the harbour opens at nine"},
      {"what do you remember?", "- the harbour opens at nine"},
      {"git log", "Turn: write Roses are red"},
      {"git status", "Nothing has changed"},
      {"read file ../secret", "'..'"},
      {"forget harbour", "I forgot:"},
      {"Who are you?", "builtin"}};
  for (const auto& [message, expected] : story) {
    const auto reply = agent.say(message);
    ASSERT_TRUE(reply) << message << ": " << reply.error().message;
    EXPECT_THAT(reply->text, HasSubstr(expected)) << message;
    EXPECT_EQ(reply->model, "agentbox/builtin");
  }
}

// The gateway

class GatewayTest : public testing::Test {
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
  web::FetchResponse request(std::string method, std::string path, std::string body = {}, std::string token = "gate") {
    web::FetchRequest fetch{.url = url + path, .method = std::move(method), .body = std::move(body)};
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
  Gateway gateway{agent.loop, agent.workspace, "gate"};
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
  EXPECT_THAT(streamed.body, HasSubstr(": tool write_file"));
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
  const auto tool = socket.hear();
  EXPECT_EQ(tool.at("type"), "tool");
  EXPECT_EQ(tool.at("name"), "write_file");
  EXPECT_EQ(tool.at("failed"), false);
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
  EXPECT_EQ(socket.hear().at("content"), "Re: still there?");
}

// The process

class BootFileTest : public testing::Test {
 protected:
  fs::path write(const std::string& text) {
    const auto path = folder.path() / "boot.json";
    std::ofstream(path) << text;
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    return path;
  }
  std::string boot(const std::string& listen, const std::string& backend) {
    return json::serialize(json::object{{"agent_id", "a1"},
                                        {"name", "Ada"},
                                        {"model", ""},
                                        {"listen", listen},
                                        {"workspace", (folder.path() / "workspace").string()},
                                        {"gateway_token", "gate"},
                                        {"box_token", "box"},
                                        {"backend_url", backend},
                                        {"summarizer_url", ""}});
  }
  TemporaryFolder folder;
};

TEST_F(BootFileTest, ErrorsNameTheReasonWithoutSecrets) {
  EXPECT_THAT(read_boot_file(folder.path() / "absent").error().message, HasSubstr("cannot open"));
  EXPECT_THAT(read_boot_file(write("{")).error().message, HasSubstr("boot file"));
  EXPECT_THAT(read_boot_file(write("{}")).error().message, HasSubstr("is required"));
  EXPECT_THAT(read_boot_file(write(boot("", "http://x"))).error().message, HasSubstr("listen"));
  EXPECT_TRUE(read_boot_file(write(boot("127.0.0.1:1", "http://x"))));
}

TEST_F(BootFileTest, HoldsTheAgentProfileAsAnEngineWritesIt) {
  runtime::Boot given;
  given.listen = "127.0.0.1:1";
  given.workspace = "/w";
  given.gateway_token = "gate";
  given.backend_url = "http://x";
  // The largest that a config of 64 KB can hold: control characters take six bytes each.
  given.conduct = {.instructions = std::string(10'000, '\t') + "\n\"Ahoy\"",
                   .temperature = 1.5,
                   .top_p = {},
                   .max_tokens = 9,
                   .tools = std::vector<std::string>{"recall"},
                   .specialization = "support"};
  const auto read = read_boot_file(write(json::serialize(json::value_from(given))));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->conduct);
  EXPECT_EQ(read->conduct->instructions, given.conduct->instructions);
  EXPECT_EQ(read->conduct->temperature, 1.5);
  EXPECT_FALSE(read->conduct->top_p);
  EXPECT_EQ(read->conduct->max_tokens, 9);
  EXPECT_EQ(read->conduct->tools, std::vector<std::string>{"recall"});
  EXPECT_EQ(read->conduct->specialization, "support");
}

TEST_F(BootFileTest, ExitsWith2WhenItCannotStart) { EXPECT_EQ(run(folder.path() / "absent"), 2); }

// A port nobody listens on: the kernel has just given it out and taken it back.
std::string free_address() {
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = ::bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(probe);
  if (!bound) throw std::runtime_error("no free port");
  return "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

TEST_F(BootFileTest, ServesUntilSigterm) {
  const auto listen = free_address();
  const auto path = write(boot(listen, "http://127.0.0.1:9"));
  const auto child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(run(path));

  const auto ready = [&]() -> web::Task<int> {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < deadline) {
      web::FetchRequest probe{.url = "http://" + listen + "/readyz"};
      const auto answer = co_await web::fetch(std::move(probe));
      if (answer) co_return answer->status;
      co_await web::sleep_for(std::chrono::milliseconds(10));
    }
    co_return 0;
  };
  EXPECT_EQ(await(ready()), 200);
  EXPECT_TRUE(fs::exists(path)) << "the boot file is its engine's";
  EXPECT_TRUE(fs::exists(folder.path() / "workspace" / ".git" / "HEAD"));
  ::kill(child, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
