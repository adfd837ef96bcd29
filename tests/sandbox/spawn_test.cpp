// The privileged helper, asked by a box that is honest and by one that is not.
#include "sandbox/spawn_helper.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <system_error>
#include <thread>

#include "sandbox/landlock.h"
#include "sandbox/spawn_messages.h"
#include "tests/support/temporary_folder.h"

namespace sandbox {
namespace spawn_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr Account box{.user = 61'234, .group = 61'235};
constexpr uid_t first_user = 1'900'000'000;

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_alive(pid_t pid) {
  return contents("/proc/" + std::to_string(pid) + "/stat").find(") Z ") == std::string::npos && ::kill(pid, 0) == 0;
}

Descriptor bound(std::uint16_t number, in_addr_t address = INADDR_LOOPBACK) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(number);
  name.sin_addr.s_addr = htonl(address);
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&name), sizeof name) != 0)
    throw std::system_error(errno, std::system_category(), "bind");
  return socket;
}
Descriptor listening(std::uint16_t number, in_addr_t address = INADDR_LOOPBACK) {
  auto socket = bound(number, address);
  if (::listen(socket.get(), 8) != 0) throw std::system_error(errno, std::system_category(), "listen");
  return socket;
}
std::uint16_t free_port() {
  const auto probe = bound(0);
  sockaddr_in name{};
  socklen_t size = sizeof name;
  if (::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&name), &size) != 0)
    throw std::system_error(errno, std::system_category(), "getsockname");
  return ntohs(name.sin_port);
}

template <class Holds>
void eventually(Holds holds) {
  for (int look = 0; look < 2'000 && !holds(); ++look) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(holds());
}

// An agent is bash, which runs the script "agent" in its folder; each waits at a pipe until it is ended.
class Spawn : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    if (!kernel().namespaces) GTEST_SKIP() << "namespaces are not permitted";
    for (const auto* name : {"one", "two"}) make_agent(name);
    std::ofstream(data_.path() / "master.key") << "the master key";
    give_folder(data_.path(), agents(), box);
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_), 0);
    helper_ = ::fork();
    if (helper_ == 0) {
      ::close(ends_[0]);
      serve_spawn(options(), ends_[1]);
      ::_exit(0);
    }
    ::close(ends_[1]);
  }
  void TearDown() override {
    honest_.reset();
    if (helper_ <= 0) return;
    if (ends_[0] >= 0) ::close(ends_[0]);
    int status = -1;
    EXPECT_EQ(::waitpid(helper_, &status, 0), helper_);
    EXPECT_EQ(status, 0) << "the helper did not end cleanly";
  }

  virtual SpawnOptions options() const {
    return {
        .binary = "/usr/bin/bash", .agents = agents(), .hidden = data_.path(), .box = box, .first_user = first_user};
  }
  fs::path agents() const { return data_.path() / "agents"; }
  fs::path workspace(const std::string& name) const { return agents() / name / "workspace"; }
  void make_agent(const std::string& name) const {
    fs::create_directories(workspace(name));
    fs::create_directories(agents() / name / "run");
    std::ofstream(agents() / name / "run/boot.json") << "{}";
    ::mkfifo((workspace(name) / "pipe").c_str(), 0600);
    std::ofstream(workspace(name) / "agent")
        << "echo $EUID $$ > made\nread key < " << (data_.path() / "master.key").string()
        << "\nread note < ../../two/workspace/agent\nread boot < $2\necho \"$boot|$key|$note\" >> made\nread x < "
           "pipe\n";
    for (const auto& entry : fs::directory_iterator(workspace(name))) fs::permissions(entry.path(), fs::perms(0600));
    fs::permissions(workspace(name), fs::perms(0700));
  }

  SpawnHelper& honest() {
    if (!honest_) honest_ = std::make_unique<SpawnHelper>(Descriptor(std::exchange(ends_[0], -1)), first_user);
    return *honest_;
  }
  Started start(const std::string& name, std::uint16_t listens) {
    const Descriptor log(::open((data_.path() / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    const auto gateway = listening(listens);
    AgentStart wanted{.agent = name,
                      .port = listens,
                      .limits = {.processes = 20},
                      .group = {},
                      .output = log.get(),
                      .gateway = gateway.get()};
    return honest().start(wanted);
  }

  // As a box that an attacker has taken over.
  SpawnAnswer say(const void* bytes, std::size_t size, const std::vector<int>& descriptors = {}) {
    if (!greeted_) receive_message(ends_[0], &greeting_, sizeof greeting_);
    greeted_ = true;
    EXPECT_EQ(greeting_.error, 0) << greeting_.step;
    SpawnAnswer answer;
    EXPECT_TRUE(send_message(ends_[0], bytes, size, descriptors));
    EXPECT_TRUE(receive_message(ends_[0], &answer, sizeof answer));
    return answer;
  }
  SpawnOrder order() const {
    SpawnOrder wanted{
        .task = SpawnTask::start, .user = first_user + port_, .listens = port_, .open_files = 64, .processes = 20};
    std::string("one").copy(wanted.agent, sizeof wanted.agent);
    return wanted;
  }
  Descriptor opened_log() const {
    return Descriptor(::open((data_.path() / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  }
  SpawnAnswer say(const SpawnOrder& wanted) {
    if (wanted.task != SpawnTask::start) return say(&wanted, sizeof wanted);
    return say(wanted, listening(port_));
  }
  SpawnAnswer say(const SpawnOrder& wanted, const Descriptor& gateway) {
    const auto log = opened_log();
    return say(&wanted, sizeof wanted, {log.get(), gateway.get()});
  }
  void expect_refused(const SpawnOrder& wanted, const char* reason) {
    const auto answer = say(wanted);
    EXPECT_NE(answer.error, 0);
    EXPECT_THAT(answer.step, HasSubstr(reason));
  }
  SpawnOrder named(std::string_view name) const {
    auto wanted = order();
    std::fill(std::begin(wanted.agent), std::end(wanted.agent), '\0');
    name.copy(wanted.agent, sizeof wanted.agent);
    return wanted;
  }

  const test_support::TemporaryFolder data_;
  // Not those of the test before: its agents end a moment after their helper, and hold their gateways until then.
  const std::uint16_t port_ = free_port(), other_port_ = free_port();
  pid_t helper_ = 0;
  int ends_[2] = {-1, -1};
  std::unique_ptr<SpawnHelper> honest_;
  SpawnAnswer greeting_;
  bool greeted_ = false;
};

std::string users_of(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Uid:")) return line;
  return {};
}

std::string all_four(uid_t user) {
  const auto number = "\t" + std::to_string(user);
  return "Uid:" + number + number + number + number;
}

TEST_F(Spawn, AgentsHaveUsersOfTheirOwnAndFilesOfTheBox) {
  const auto one = start("one", port_), two = start("two", other_port_);
  EXPECT_EQ(users_of(one.pid), all_four(first_user + port_));
  EXPECT_EQ(users_of(two.pid), all_four(first_user + other_port_));
  eventually([&] { return contents(workspace("one") / "made").ends_with("||\n"); });
  const auto made = contents(workspace("one") / "made");
  EXPECT_THAT(made, testing::StartsWith(std::to_string(first_user + port_) + " 1\n"));
  EXPECT_THAT(made, HasSubstr("{}||\n")) << "it reads its boot file, and neither the master key nor its neighbour";
  struct stat about {};
  ASSERT_EQ(::stat((workspace("one") / "made").c_str(), &about), 0);
  EXPECT_EQ(about.st_uid, box.user);
  EXPECT_EQ(about.st_gid, box.group);

  EXPECT_THROW(honest().collect(one.pid), std::system_error) << "it has not ended";
  honest().signal(one.pid, SIGKILL);
  pollfd end{.fd = one.process, .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&end, 1, 10'000), 1);
  EXPECT_EQ(honest().collect(one.pid), SIGKILL);
  EXPECT_FALSE(honest().has_started(one.pid));

  honest_.reset();  // the box ends
  eventually([&] { return !is_alive(two.pid); });
  ::close(one.process);
  ::close(two.process);
}

TEST_F(Spawn, AgentsEndWithTheHelper) {
  const auto one = start("one", port_);
  EXPECT_FALSE(honest().has_ended());
  ::kill(helper_, SIGKILL);
  int status = 0;
  EXPECT_EQ(::waitpid(std::exchange(helper_, 0), &status, 0) > 0, true);
  pollfd end{.fd = one.process, .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&end, 1, 10'000), 1);
  EXPECT_TRUE(honest().has_ended());
  try {
    start("two", other_port_);
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the helper has ended"));
  }
  ::close(one.process);
}

TEST_F(Spawn, HasOnlyTheCapabilitiesItNeeds) {
  honest();
  const auto status = contents("/proc/" + std::to_string(helper_) + "/status");
  // DAC_READ_SEARCH, KILL, SETGID, SETUID, SETPCAP, SYS_ADMIN
  for (const char* set : {"CapPrm", "CapEff", "CapBnd"})
    EXPECT_THAT(status, HasSubstr(std::string(set) + ":\t00000000002001e4"));
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1"));
  EXPECT_THAT(status, HasSubstr("Seccomp:\t2"));
  const pid_t attacker = ::fork();
  if (attacker == 0) {
    become_user(box);
    ::_exit(::kill(helper_, SIGTERM) != 0 && errno == EPERM ? 0 : 1);
  }
  int ended = -1;
  ::waitpid(attacker, &ended, 0);
  EXPECT_EQ(ended, 0) << "the box's user may not signal it";
}

TEST_F(Spawn, RefusesOtherUsers) {
  for (const uid_t user : {0u, box.user, first_user - 1, first_user + spawn_users, ~0u}) {
    auto wanted = order();
    wanted.user = user;
    expect_refused(wanted, "not an agent's user");
  }
  EXPECT_EQ(say(order()).error, 0);
}

TEST_F(Spawn, RefusesOtherFolders) {
  for (const auto* name : {"", ".", "..", "../agents/one", "one/../two", "/etc", "one/workspace"})
    expect_refused(named(name), "not the id of an agent");
  expect_refused(named(std::string(64, 'a')), "not the id of an agent");  // without an end
  expect_refused(named("three"), "open its files");

  const test_support::TemporaryFolder outside;
  fs::create_directories(outside.path() / "run");
  fs::create_directories(outside.path() / "workspace");
  std::ofstream(outside.path() / "run/boot.json") << "{}";
  fs::create_directory_symlink(outside.path(), agents() / "linked");
  expect_refused(named("linked"), "open its files");
  make_agent("half");
  give_folder(agents() / "half", {}, box);
  fs::remove_all(workspace("half"));
  fs::create_directory_symlink("/etc", workspace("half"));
  expect_refused(named("half"), "open its files");
  make_agent("foreign");  // root's
  expect_refused(named("foreign"), "files that are not the box's");
  make_agent("booted");
  give_folder(agents() / "booted", {}, box);
  fs::remove(agents() / "booted/run/boot.json");
  fs::create_symlink("/etc/shadow", agents() / "booted/run/boot.json");
  expect_refused(named("booted"), "open its files");
  EXPECT_EQ(say(order()).error, 0);
}

TEST_F(Spawn, RefusesOtherSignalsAndProcesses) {
  for (const pid_t pid : {0, -1, 1, int(::getpid()), int(helper_)}) {
    expect_refused({.task = SpawnTask::signal, .pid = pid, .signal = SIGKILL}, "be found among the agents");
    expect_refused({.task = SpawnTask::collect, .pid = pid}, "be found among the agents");
  }
  const auto started = say(order());
  ASSERT_EQ(started.error, 0) << started.step;
  expect_refused({.task = SpawnTask::signal, .pid = started.value, .signal = SIGSTOP}, "not a signal for agents");
  EXPECT_EQ(say({.task = SpawnTask::signal, .pid = started.value, .signal = SIGTERM}).error, 0);
}

TEST_F(Spawn, RefusesPrecedence) {
  auto nice = order(), precious = order();
  nice.niceness = -5;
  precious.oom_score = -1'000;
  expect_refused(nice, "precedence over others");
  expect_refused(precious, "precedence over others");
}

TEST_F(Spawn, RefusesWhatIsNoOrder) {
  const auto good = order();
  std::vector<char> longer(sizeof good + 4'000, 'x');
  std::memcpy(longer.data(), &good, sizeof good);
  EXPECT_THAT(say(&good, 1).step, HasSubstr("not an order"));
  EXPECT_THAT(say(&good, sizeof good - 1).step, HasSubstr("not an order"));
  EXPECT_THAT(say(longer.data(), sizeof good + 1).step, HasSubstr("not an order"));
  EXPECT_THAT(say(longer.data(), longer.size()).step, HasSubstr("not an order"));
  for (const auto task : {SpawnTask(0), SpawnTask(5), SpawnTask(~0u)})
    expect_refused({.task = task}, "an unknown order");
  EXPECT_EQ(say(order()).error, 0) << "and it still serves";
}

TEST_F(Spawn, RefusesOtherDescriptors) {
  const auto good = order();
  EXPECT_THAT(say(&good, sizeof good).step, HasSubstr("wrong number of descriptors"));
  const SpawnOrder signal{.task = SpawnTask::signal, .pid = 1, .signal = SIGKILL};
  EXPECT_THAT(say(&signal, sizeof signal, {STDERR_FILENO}).step, HasSubstr("wrong number of descriptors"));
  const auto gateway = listening(port_);
  EXPECT_THAT(say(&good, sizeof good, {ends_[0], gateway.get()}).step, HasSubstr("its output is not a file"));
}

TEST_F(Spawn, RefusesSocketsThatAreNoGateway) {
  constexpr auto reason = "not a socket that listens on the agent's port";
  const auto refused = [&](const Descriptor& socket) { EXPECT_THAT(say(order(), socket).step, HasSubstr(reason)); };
  refused(Descriptor(::dup(ends_[0])));
  refused(opened_log());
  refused(bound(port_));
  refused(listening(other_port_));
  refused(listening(port_, INADDR_ANY));
  EXPECT_EQ(say(order()).error, 0);
}

TEST_F(Spawn, EndsAtAnEmptyMessage) {
  receive_message(ends_[0], &greeting_, sizeof greeting_);
  EXPECT_TRUE(send_message(ends_[0], "", 0));
  SpawnAnswer answer;
  EXPECT_FALSE(receive_message(ends_[0], &answer, sizeof answer));
}

// In a container of one agent.
class ContainerSpawn : public Spawn {
 protected:
  void SetUp() override {
    if (const auto why = why_no_commands(); !why.empty()) GTEST_SKIP() << why;
    Spawn::SetUp();
    give_folder(workspace("one"), {}, {.user = first_user + port_, .group = first_user + port_});
    ASSERT_EQ(::pipe2(pipe_, O_CLOEXEC), 0);
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel_), 0);
  }
  SpawnOptions options() const override {
    return {.binary = {},
            .agents = {},
            .hidden = {},
            .box = {},
            .first_user = first_user + port_,
            .tools = "/",
            .workspace = workspace("one")};
  }
  Descriptor text(std::string_view words) const {
    Descriptor file(::memfd_create("text", MFD_CLOEXEC));
    EXPECT_EQ(::pwrite(file.get(), words.data(), words.size(), 0), ssize_t(words.size()));
    EXPECT_EQ(::fchmod(file.get(), 0444), 0);
    return file;
  }

  int pipe_[2] = {-1, -1}, channel_[2] = {-1, -1};
};

TEST_F(ContainerSpawn, RunsCommandsAsItsUserInItsWorkspace) {
  const auto words = text("echo $(id -u) $(pwd) > made; ls / > seen");
  const auto started = honest().start(CommandStart{.agent = "one",
                                                   .port = port_,
                                                   .limits = {.processes = 20},
                                                   .group = {},
                                                   .temporary_bytes = 1u << 20,
                                                   .input = pipe_[0],
                                                   .output = pipe_[1],
                                                   .error = pipe_[1],
                                                   .text = words.get(),
                                                   .channel = channel_[1]});
  const Descriptor process(started.process);
  pollfd ended{.fd = process.get(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&ended, 1, 10'000), 1);
  EXPECT_EQ(honest().collect(started.pid), 0);
  EXPECT_EQ(contents(workspace("one") / "made"), std::to_string(first_user + port_) + " /workspace\n");
  EXPECT_THAT(contents(workspace("one") / "seen"), Not(HasSubstr("root")));
}

TEST_F(ContainerSpawn, RefusesAgentsOtherUsersAndOtherFolders) {
  expect_refused(order(), "agents do not run in this container");
  const auto words = text("true");
  auto command = order();
  command.task = SpawnTask::command;
  const auto asked = [&](const SpawnOrder& wanted) {
    return say(&wanted, sizeof wanted, {pipe_[0], pipe_[1], pipe_[1], words.get(), channel_[1]});
  };
  for (const uid_t user : {0u, first_user + port_ - 1, first_user + port_ + 1, ~0u}) {
    command.user = user;
    EXPECT_THAT(asked(command).step, HasSubstr("not an agent's user"));
  }
  command.user = first_user + port_;
  command.place = std::uint32_t(CommandPlace::browser);
  EXPECT_THAT(asked(command).step, HasSubstr("a place that is not in the container"));
  command.place = std::uint32_t(CommandPlace::workspace);
  EXPECT_EQ(asked(command).error, 0);
}

// Started by the service manager for a box that starts its agents itself.
class ServiceSpawn : public ContainerSpawn {
 protected:
  SpawnOptions options() const override {
    return {.binary = {}, .agents = agents(), .hidden = {}, .box = box, .first_user = first_user, .tools = "/"};
  }
};

TEST_F(ServiceSpawn, StartsCommandsAndNoAgents) {
  give_folder(workspace("one"), {}, box);
  expect_refused(order(), "this helper starts commands alone");
  EXPECT_STREQ(greeting_.step, "/");
  const auto words = text("id -u > made");
  auto command = order();
  command.task = SpawnTask::command;
  const auto answer = say(&command, sizeof command, {pipe_[0], pipe_[1], pipe_[1], words.get(), channel_[1]});
  EXPECT_EQ(answer.error, 0) << answer.step;
  const auto made = workspace("one") / "made";
  eventually([&] { return contents(made) == std::to_string(first_user + port_) + "\n"; });
  struct stat about {};
  ASSERT_EQ(::stat(made.c_str(), &about), 0);
  EXPECT_EQ(about.st_uid, box.user);
}

}  // namespace spawn_test
}  // namespace sandbox
