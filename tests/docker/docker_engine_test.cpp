// Agents in containers of a real Docker Engine, which the test starts and ends itself.
#include "appliance/runtime/docker/docker_engine.h"

#include <gmock/gmock.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <mutex>
#include <thread>

#include "tests/docker/docker_fixture.h"
#include "web/client/fetch.h"

namespace docker_engine_test {

using namespace agent_tests;
using namespace std::chrono_literals;
using runtime::State;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr auto box = "0123456789abcdef";

std::string container_of(const std::string& agent) { return "agentbox-0123456789ab-" + agent; }

// One life of a box: ends without telling its agents, as a crash does.
class Life {
 public:
  // Agents whose ids end with this have no egress.
  static constexpr auto closed = "_closed";

  Life(const std::filesystem::path& data, const std::string& host, bool requires_isolation = false) {
    runtime::DockerOptions options{.host = host,
                                   .image = image,
                                   .box = box,
                                   .folder = data / "agents",
                                   .open_agent_listener = {},
                                   .is_closed = {},
                                   .requires_isolation = requires_isolation};
    options.is_closed = [](const std::string& id) { return id.ends_with(closed); };
    options.open_agent_listener = [](std::string gateway) { return "http://" + gateway + ":3001"; };
    engine = std::make_unique<runtime::DockerEngine>(options, loop.io, files);
    engine->on_exit = [this](std::string id, std::optional<int> code) {
      std::lock_guard lock(mutex);
      exits.emplace_back(id, code);
    };
    engine->on_back = [this] { ++times_back; };
  }
  ~Life() {
    loop.stop();
    engine.reset();
    files.join();
  }
  std::vector<std::pair<std::string, std::optional<int>>> exits_seen() {
    std::lock_guard lock(mutex);
    return exits;
  }

  boost::asio::thread_pool files{2};
  Loop loop;
  std::unique_ptr<runtime::DockerEngine> engine;
  std::atomic<int> times_back{0};
  std::mutex mutex;  // protects exits
  std::vector<std::pair<std::string, std::optional<int>>> exits;
};

class DockerEngine : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = DockerDaemon::missing(); !why.empty()) GTEST_SKIP() << why;
    daemon.emplace(data.path() / "docker");
    daemon->load_image();
    life.emplace(data.path(), daemon->host());
    ASSERT_TRUE(adopt());
  }
  DockerEngine() { std::filesystem::create_directory(data.path() / "docker"); }

  web::Result<std::vector<std::string>> adopt() { return life->loop.run(life->engine->adopt({})); }
  runtime::AgentSpec spec(const std::string& name) {
    runtime::AgentSpec wanted;
    wanted.id = "ag_" + name;
    wanted.name = name;
    wanted.workspace = data.path() / "agents" / wanted.id / "workspace";
    wanted.port = free_port();
    wanted.gateway_token = "the-gateway-token";
    wanted.box_token = "the-box-token";
    wanted.backend_url = "http://127.0.0.1:3001";
    return wanted;
  }
  web::Result<runtime::Instance> start(const runtime::AgentSpec& wanted) {
    return life->loop.run(life->engine->start(wanted));
  }
  runtime::AgentSpec started(const std::string& name) {
    const auto wanted = spec(name);
    const auto instance = start(wanted);
    EXPECT_TRUE(instance) << (instance ? "" : instance.error().message);
    return wanted;
  }
  web::Result<runtime::Instance> inspect(const std::string& id) { return life->loop.run(life->engine->inspect(id)); }
  State state(const std::string& id) { return inspect(id).value().state; }
  web::Result<void> stop(const std::string& id) { return life->loop.run(life->engine->stop(id, 2s)); }
  std::vector<std::string> log(const std::string& id) { return life->loop.run(life->engine->logs(id, 10)).value(); }
  int healthz(const runtime::AgentSpec& of) {
    web::FetchRequest request;
    request.url = "http://127.0.0.1:" + std::to_string(of.port) + "/healthz";
    const auto answer = life->loop.run(web::fetch(request));
    return answer ? answer->status : 0;
  }

  TemporaryFolder data;
  std::optional<DockerDaemon> daemon;
  std::optional<Life> life;
};

// As in a box that is not root: the status of a process is that of its first thread.
class WithoutPacketFilter {
 public:
  WithoutPacketFilter() {
    ::syscall(SYS_capget, &head_, before_);
    __user_cap_data_struct less[2] = {before_[0], before_[1]};
    less[0].effective &= ~(1u << CAP_NET_ADMIN);
    EXPECT_EQ(::syscall(SYS_capset, &head_, less), 0);
  }
  WithoutPacketFilter(const WithoutPacketFilter&) = delete;
  WithoutPacketFilter& operator=(const WithoutPacketFilter&) = delete;
  ~WithoutPacketFilter() { ::syscall(SYS_capset, &head_, before_); }

 private:
  __user_cap_header_struct head_{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct before_[2] = {};
};

TEST_F(DockerEngine, SaysThatItCannotCloseTheLanAndRefusesAgentsWithoutEgress) {
  const WithoutPacketFilter without;
  EXPECT_TRUE(start(spec("open")));
  const auto refused = start(spec("closed"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("egress cannot be closed"), HasSubstr("does not run as root")));
  EXPECT_THAT(life->engine->isolation().lacks, ElementsAre(HasSubstr("closed LAN (the box may not set")));
  life.emplace(data.path(), daemon->host(), true);
  const auto required = start(spec("other"));
  ASSERT_FALSE(required);
  EXPECT_THAT(required.error().message, HasSubstr("ISOLATION is required"));
}

TEST_F(DockerEngine, PutsAnAgentWithoutEgressIntoANetworkOfItsOwn) {
  const auto agent = started("closed");
  const auto container = daemon->inspect(container_of(agent.id));
  EXPECT_EQ(container.at_pointer("/HostConfig/NetworkMode").as_string(), "agentbox-0123456789ab-closed");
  EXPECT_TRUE(eventually([&] { return healthz(agent) == 200; })) << "the box reaches it all the same";
  EXPECT_THAT(life->engine->isolation().by, Contains("closed LAN"));
}

TEST_F(DockerEngine, RunsAnAgentAndStopsIt) {
  const auto agent = started("plain");
  EXPECT_TRUE(eventually([&] { return healthz(agent) == 200; }));
  const auto instance = inspect(agent.id).value();
  EXPECT_EQ(instance.state, State::running);
  EXPECT_EQ(instance.backend_url, agent.backend_url);
  EXPECT_GT(instance.pid, 0);
  EXPECT_EQ(start(agent).error().kind, web::Kind::conflict);
  EXPECT_THAT(log(agent.id), ElementsAre("hello from plain"));

  EXPECT_TRUE(stop(agent.id));
  EXPECT_EQ(state(agent.id), State::exited);
  EXPECT_TRUE(eventually([&] { return life->exits_seen().size() == 1; }));
  EXPECT_TRUE(stop(agent.id)) << "stopping a stopped one is success";
  EXPECT_TRUE(start(agent)) << "and it can be started again";
  EXPECT_TRUE(stop(agent.id));

  EXPECT_TRUE(life->loop.run(life->engine->remove(agent.id)));
  EXPECT_EQ(state(agent.id), State::missing);
  EXPECT_THAT(daemon->list("/containers/json?all=1"), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(data.path() / "agents" / agent.id / "run"));
}

TEST_F(DockerEngine, AContainerHasNoTokenInItsConfigurationAndReachesOnlyItsOwnFiles) {
  const auto agent = started("plain");
  const auto described = json::serialize(daemon->inspect(container_of(agent.id)));
  EXPECT_THAT(described, AllOf(Not(HasSubstr(agent.gateway_token)), Not(HasSubstr(agent.box_token))));
  const auto running = daemon->inspect(container_of(agent.id));
  EXPECT_EQ(running.at("HostConfig").at("Privileged"), false);
  EXPECT_EQ(running.at("HostConfig").at("CapAdd"), nullptr);
  EXPECT_NE(running.at("Config").at("User"), "0:0");
  EXPECT_EQ(running.at("Mounts").as_array().size(), 2u);
  EXPECT_EQ(json::serialize(running.at("NetworkSettings").at("Ports").at("18789/tcp").at(0).at("HostIp")),
            "\"127.0.0.1\"");
}

TEST_F(DockerEngine, ReportsAnEndAtOnceWithItsExitCode) {
  const auto agent = started("plain");
  ASSERT_EQ(daemon->ask("POST", "/containers/" + container_of(agent.id) + "/kill")->status, 204);
  EXPECT_TRUE(eventually([&] { return !life->exits_seen().empty(); }));
  EXPECT_EQ(life->exits_seen().front().second, 137);
  EXPECT_EQ(inspect(agent.id).value().exit_code, 137);
}

TEST_F(DockerEngine, AContainerThatExitsAtOnceKeepsItsLastLogLines) {
  const auto agent = started("exits");
  EXPECT_TRUE(eventually([&] { return state(agent.id) == State::exited; }));
  EXPECT_EQ(inspect(agent.id).value().exit_code, 3);
  EXPECT_THAT(log(agent.id), Contains("cannot go on: no spoon"));
}

TEST_F(DockerEngine, TheLogIsResumedFromAnyLineAndAcrossContainers) {
  const auto agent = started("plain");
  const auto page = [&](runtime::LogQuery query) {
    return life->loop.run(life->engine->read_log(agent.id, std::move(query))).value();
  };
  const auto read = [&](runtime::LogQuery query) { return page(std::move(query)).lines; };
  ASSERT_TRUE(eventually([&] { return !read({}).empty(); }));
  const auto first = read({}).front();
  EXPECT_EQ(first.text, "hello from plain");
  EXPECT_TRUE(first.at);
  const runtime::LogQuery behind_it{.limit = 10, .after = first.id, .since = {}, .until = {}};
  EXPECT_THAT(read(behind_it), IsEmpty());
  EXPECT_FALSE(page(behind_it).is_truncated);
  EXPECT_EQ(read({.limit = 10, .after = {}, .since = first.at, .until = first.at}).size(), 1u);
  EXPECT_GT(life->loop.run(life->engine->log_end(agent.id)).value(), first.id);

  std::vector<runtime::LogLine> followed;
  const auto follow = [&](std::string after) {
    return life->loop.run(
        life->engine->follow_log(agent.id, std::move(after), [&](std::vector<runtime::LogLine> lines) {
          for (auto& line : lines) followed.push_back(std::move(line));
          return followed.empty();
        }));
  };
  EXPECT_TRUE(follow({}));
  ASSERT_EQ(followed.size(), 1u);
  EXPECT_EQ(followed.front().id, first.id);
  ASSERT_TRUE(stop(agent.id));
  ASSERT_TRUE(start(agent));
  followed.clear();
  EXPECT_TRUE(follow(first.id));
  ASSERT_EQ(followed.size(), 1u);
  EXPECT_GT(followed.front().id, first.id);
  EXPECT_FALSE(page(behind_it).is_truncated) << "the log of the container before is kept";
  EXPECT_EQ(read({.limit = 10}).size(), 2u) << "one line of each";
  EXPECT_EQ(read({.limit = 1}).front().id, followed.front().id);
  for (int again = 0; again < 2; ++again) {
    ASSERT_TRUE(stop(agent.id));
    ASSERT_TRUE(start(agent));
  }
  EXPECT_TRUE(page(behind_it).is_truncated) << "that of the one before the last is not";
  EXPECT_THAT(daemon->list("/containers/json?all=1"), testing::SizeIs(2));
}

TEST_F(DockerEngine, ReportsAnAgentThatNeedsTooMuchMemory) {
  if (daemon->ask("GET", "/info")->body.at("MemoryLimit") != true) GTEST_SKIP() << "this kernel limits no memory";
  auto agent = spec("hungry");
  agent.limits.memory_bytes = 64u << 20;
  EXPECT_TRUE(start(agent));
  EXPECT_TRUE(eventually([&] { return state(agent.id) == State::exited; }));
  EXPECT_TRUE(inspect(agent.id).value().out_of_memory);
}

TEST_F(DockerEngine, APrunedNetworkComesBackWithItsAddresses) {
  const std::string network = "/networks/agentbox-0123456789ab";
  const auto gateway = [&] {
    return json::serialize(daemon->ask("GET", network)->body.at("IPAM").at("Config").at(0).at("Gateway"));
  };
  const auto prune = [&] {
    ASSERT_EQ(daemon->ask("POST", "/networks/prune")->status, 200);
    ASSERT_EQ(daemon->ask("GET", network)->status, 404);
  };
  prune();
  const json::value another{{"Name", "another"}};
  ASSERT_EQ(daemon->ask("POST", "/networks/create", another)->status, 201) << "has the first addresses";
  life.reset();
  life.emplace(data.path(), daemon->host());
  ASSERT_TRUE(adopt());
  const auto address = gateway();
  prune();
  const auto agent = started("plain");
  EXPECT_EQ(gateway(), address);
}

TEST_F(DockerEngine, AgentsThatStartAtOnceShareANetwork) {
  ASSERT_EQ(daemon->ask("POST", "/networks/prune")->status, 200);
  std::vector<runtime::AgentSpec> agents;
  for (int number = 0; number < 4; ++number) agents.push_back(spec("agent" + std::to_string(number)));
  std::vector<std::jthread> threads;
  for (const auto& agent : agents) threads.emplace_back([&] { EXPECT_TRUE(start(agent)); });
  threads.clear();
  EXPECT_THAT(daemon->list("/networks?filters=%7B%22name%22%3A%5B%22agentbox-0123456789ab%22%5D%7D"),
              testing::SizeIs(1));
}

TEST_F(DockerEngine, TwoNetworksOfOneNameAreMadeOne) {
  const json::value same{{"Name", "agentbox-0123456789ab"}};
  ASSERT_EQ(daemon->ask("POST", "/networks/create", same)->status, 201);
  ASSERT_EQ(daemon->ask("GET", "/networks/agentbox-0123456789ab")->status, 400) << "its name is ambiguous";
  started("plain");
  EXPECT_EQ(daemon->ask("GET", "/networks/agentbox-0123456789ab")->status, 200);
}

TEST_F(DockerEngine, ReportsTheImageOfAContainer) {
  const auto agent = started("plain");
  EXPECT_THAT(inspect(agent.id).value().image, testing::StartsWith("sha256:"));
  auto same = spec("other");
  same.image = inspect(agent.id).value().image;
  EXPECT_TRUE(start(same)) << "an image is named by its id, too: that is how an update is taken back";
}

TEST_F(DockerEngine, NamesAMissingImage) {
  auto wanted = spec("plain");
  wanted.image = "nobody/has:this";
  EXPECT_THAT(start(wanted).error().message, HasSubstr("nobody/has:this is not on this box"));
  EXPECT_THAT(daemon->list("/containers/json?all=1"), IsEmpty());
}

TEST_F(DockerEngine, APortInUseIsNamedAndLeavesNoContainer) {
  auto first = spec("first"), second = spec("second");
  second.port = first.port;
  ASSERT_TRUE(start(first));
  EXPECT_THAT(start(second).error().message, HasSubstr(std::to_string(first.port)));
  EXPECT_EQ(daemon->list("/containers/json?all=1").size(), 1u);
}

TEST_F(DockerEngine, AForeignContainerOfThatNameIsKept) {
  const auto wanted = spec("plain");
  const json::value foreign{{"Image", image}};
  ASSERT_EQ(daemon->ask("POST", "/containers/create?name=" + container_of(wanted.id), foreign)->status, 201);
  const auto refused = start(wanted);
  EXPECT_EQ(refused.error().kind, web::Kind::conflict);
  EXPECT_THAT(refused.error().message, HasSubstr(container_of(wanted.id)));
  EXPECT_EQ(daemon->list("/containers/json?all=1").size(), 1u);
}

TEST_F(DockerEngine, AContainerRequestedBeforeACrashIsAwaitedAndReplaced) {
  for (int round = 0; round < 5; ++round) {
    const auto wanted = spec("again" + std::to_string(round));
    const json::value earlier{{"Image", image}, {"Labels", {{"agentbox.agent", wanted.id}, {"agentbox.box", box}}}};
    const std::jthread asked_before(
        [&] { daemon->ask("POST", "/containers/create?name=" + container_of(wanted.id), earlier); });
    const auto agent = start(wanted);
    ASSERT_TRUE(agent) << agent.error().message;
    EXPECT_TRUE(eventually([&] { return healthz(wanted) == 200; }));
  }
  EXPECT_EQ(daemon->list("/containers/json").size(), 5u);
}

TEST_F(DockerEngine, ARestartedBoxFindsItsContainers) {
  const auto agent = started("plain");
  life.reset();
  life.emplace(data.path(), daemon->host());
  ASSERT_TRUE(adopt());
  EXPECT_EQ(inspect(agent.id).value().backend_url, agent.backend_url);
  EXPECT_TRUE(eventually([&] { return healthz(agent) == 200; }));
  ASSERT_EQ(daemon->ask("POST", "/containers/" + container_of(agent.id) + "/kill")->status, 204);
  EXPECT_TRUE(eventually([&] { return !life->exits_seen().empty(); }));
}

TEST_F(DockerEngine, MeasuresTheResourcesOfAnAgent) {
  const auto agent = started("plain");
  EXPECT_TRUE(eventually([&] { return healthz(agent) == 200; }));
  const auto stats = life->loop.run(life->engine->stats(agent.id)).value();
  EXPECT_GT(stats.memory_bytes, 100'000u);
  EXPECT_GT(stats.cpu_percent, 0);
  EXPECT_GT(stats.received_bytes.value(), 0u);
  EXPECT_FALSE(life->loop.run(life->engine->stats("ag_nobody")));
}

TEST_F(DockerEngine, ContainersThatEndedDuringAnInterruptionAreReportedAfterIt) {
  const auto agent = started("plain");
  daemon->end(SIGTERM);  // takes its containers with it
  const auto gone = inspect(agent.id);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, web::Kind::unavailable);
  EXPECT_THAT(gone.error().message, HasSubstr("does not answer"));
  EXPECT_FALSE(start(spec("other")));

  daemon->start();
  EXPECT_TRUE(eventually([&] { return life->times_back == 1; }));
  EXPECT_THAT(life->exits_seen(), ElementsAre(testing::Pair(agent.id, testing::_)));
  EXPECT_TRUE(start(agent));
}

TEST(DockerSocket, ThatAcceptsAndNeverAnswersTimesOut) {
  TemporaryFolder data;
  const auto path = (data.path() / "mute.sock").string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  files::Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 8), 0);
  Life life(data.path(), "unix://" + path);
  const auto asked = life.loop.run(life.engine->inspect("ag_one"));
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().kind, web::Kind::unavailable);
  EXPECT_THAT(asked.error().message, HasSubstr(path));
}

}  // namespace docker_engine_test
