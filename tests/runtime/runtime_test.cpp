#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <sstream>

#include "appliance/runtime/run_folder.h"
#include "tests/hosting/agent_fixture.h"
#include "tests/support/paths.h"
#include "web/server/listening_socket.h"

namespace runtime_test {

using namespace agent_tests;
using namespace std::chrono_literals;
using runtime::State;
using testing::AnyOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using testing::StartsWith;
using testing::UnorderedElementsAre;

// One life of a box: ends without telling its agents, as a crash does.
class Life {
 public:
  explicit Life(const std::filesystem::path& data, std::uint64_t log_bytes = 1 << 20,
                const std::filesystem::path& binary = paths::program("stand_in_agent"),
                std::chrono::seconds boot_file_life = 30s) {
    runtime::ProcessOptions options;
    options.boot_file_life = boot_file_life;
    options.binary = binary;
    options.folder = data / "agents";
    options.log_bytes = log_bytes;
    options.log_check = 20ms;
    engine = std::make_unique<runtime::ProcessEngine>(options, loop.io, files);
    engine->on_exit = [this](std::string id, std::optional<int> code) {
      std::lock_guard lock(mutex);
      exits.emplace_back(id, code);
    };
  }
  ~Life() {
    loop.stop();
    engine.reset();
    files.join();
  }

  std::size_t exits_seen() {
    std::lock_guard lock(mutex);
    return exits.size();
  }

  boost::asio::thread_pool files{2};
  Loop loop;
  std::unique_ptr<runtime::ProcessEngine> engine;
  std::mutex mutex;  // protects exits
  std::vector<std::pair<std::string, std::optional<int>>> exits;
};

class ProcessEngine : public testing::Test {
 protected:
  ProcessEngine() : life(std::make_unique<Life>(data.path())) {}
  ~ProcessEngine() override {
    if (!life) life = std::make_unique<Life>(data.path());
    adopt();
    for (auto& id : known) static_cast<void>(life->loop.run(life->engine->stop(id, 0s)));
  }

  runtime::AgentSpec spec(const std::string& name) {
    runtime::AgentSpec wanted;
    wanted.id = "ag_" + name;
    wanted.name = name;
    wanted.workspace = data.path() / "agents" / wanted.id / "workspace";
    wanted.port = free_port();
    wanted.gateway_token = "the-gateway-token";
    wanted.box_token = "the-box-token";
    wanted.limits.open_files = 100;
    return wanted;
  }
  web::Result<runtime::Instance> try_start(const runtime::AgentSpec& wanted) {
    known.push_back(wanted.id);
    return life->loop.run(life->engine->start(wanted));
  }
  std::int64_t start(const std::string& name) {
    auto started = try_start(spec(name));
    if (!started) throw std::runtime_error(started.error().message);
    // Its greeting in the log tells that it runs its own code, no longer ours before exec.
    EXPECT_TRUE(eventually([&] { return !log("ag_" + name, 1).empty(); }));
    return started->pid;
  }
  void stop(const std::string& name, std::chrono::seconds grace = 5s) {
    auto stopped = life->loop.run(life->engine->stop("ag_" + name, grace));
    EXPECT_TRUE(stopped) << (stopped ? "" : stopped.error().message);
  }
  runtime::Instance inspect(const std::string& name) {
    return life->loop.run(life->engine->inspect("ag_" + name)).value();
  }
  std::vector<std::string> log(const std::string& id, std::size_t lines) {
    return life->loop.run(life->engine->logs(id, lines)).value();
  }
  void adopt() { life->loop.run(life->engine->adopt(known)); }
  void crash_and_come_back() {
    life.reset();
    life = std::make_unique<Life>(data.path());
    adopt();
  }
  std::filesystem::path run_file(const std::string& name, const char* file) {
    return data.path() / "agents" / ("ag_" + name) / "run" / file;
  }

  TemporaryFolder data;
  std::vector<std::string> known;
  std::unique_ptr<Life> life;
};

TEST_F(ProcessEngine, StartsAnAgentAndStopsIt) {
  const auto pid = start("plain");
  EXPECT_EQ(inspect("plain").state, State::running);
  EXPECT_EQ(inspect("plain").pid, pid);
  EXPECT_TRUE(is_alive(pid));
  stop("plain");
  EXPECT_FALSE(is_alive(pid));
  EXPECT_EQ(inspect("plain").state, State::exited);
  // The first process of a namespace handles it: the kernel does not end it by the signal.
  EXPECT_THAT(inspect("plain").exit_code, Optional(AnyOf(0, 128 + SIGTERM)));
  EXPECT_FALSE(std::filesystem::exists(run_file("plain", "agent.pid")));
  EXPECT_FALSE(std::filesystem::exists(run_file("plain", "boot.json")));
}

TEST_F(ProcessEngine, RefusesToStartARunningAgentTwice) {
  start("plain");
  auto again = try_start(spec("plain"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, web::Kind::conflict);
}

TEST_F(ProcessEngine, StoppingAStoppedAgentSucceeds) { stop("nobody"); }

TEST_F(ProcessEngine, ReportsAnEnd) {
  ASSERT_TRUE(try_start(spec("exits")));
  ASSERT_TRUE(eventually([&] { return life->exits_seen() == 1; }));
  EXPECT_EQ(life->exits[0], std::pair(std::string("ag_exits"), std::optional(3)));
  EXPECT_EQ(inspect("exits").exit_code, 3);
  EXPECT_THAT(log("ag_exits", 1), ElementsAre("cannot go on: no spoon"));
}

TEST_F(ProcessEngine, ReportsWhyAProgramCannotRun) {
  const TemporaryFolder elsewhere;
  std::filesystem::permissions(elsewhere.path(), std::filesystem::perms(0755));
  const auto text = elsewhere.path() / "not-a-program";
  std::ofstream(text) << "no program";
  std::filesystem::permissions(text, std::filesystem::perms(0755));
  life.reset();
  life = std::make_unique<Life>(data.path(), 1000, text);
  auto started = try_start(spec("plain"));
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("could not run the program: Exec format error"));
  EXPECT_EQ(inspect("plain").state, State::missing);
}

TEST_F(ProcessEngine, SaysThatTheGatewaysPortIsInUse) {
  auto wanted = spec("plain");
  const web::ListeningSocket other("127.0.0.1:" + std::to_string(wanted.port));
  const auto started = try_start(wanted);
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("port " + std::to_string(wanted.port) + " is in use"));
  EXPECT_FALSE(std::filesystem::exists(run_file("plain", "boot.json")));
}

TEST_F(ProcessEngine, KillsAProcessThatIgnoresSigterm) {
  const auto pid = start("stubborn");
  stop("stubborn", 0s);
  EXPECT_FALSE(is_alive(pid));
  EXPECT_EQ(inspect("stubborn").exit_code, 128 + SIGKILL);
}

TEST_F(ProcessEngine, AnAgentOutlivesTheBoxAndIsAdopted) {
  const auto pid = start("plain");
  crash_and_come_back();
  EXPECT_TRUE(is_alive(pid));
  EXPECT_EQ(inspect("plain").state, State::running);
  EXPECT_EQ(inspect("plain").pid, pid);
  stop("plain");
  EXPECT_FALSE(is_alive(pid));
  EXPECT_EQ(life->exits_seen(), 1u);
}

TEST_F(ProcessEngine, AnAdoptedAgentIsWatched) {
  const auto pid = start("plain");
  crash_and_come_back();
  ::kill(pid_t(pid), SIGKILL);
  EXPECT_TRUE(eventually([&] { return life->exits_seen() == 1; }));
  EXPECT_EQ(inspect("plain").state, State::exited);
}

TEST_F(ProcessEngine, FindsAnAgentWithoutAPidFile) {
  const auto pid = start("plain");
  life.reset();
  std::filesystem::remove(run_file("plain", "agent.pid"));
  life = std::make_unique<Life>(data.path());
  adopt();
  EXPECT_EQ(inspect("plain").pid, pid);
}

TEST_F(ProcessEngine, AdoptsAnAgentWhosePidFileCannotBeWritten) {
  const auto pid = start("plain");
  life.reset();
  std::filesystem::remove(run_file("plain", "agent.pid"));
  std::filesystem::create_directories(run_file("plain", "agent.pid.new"));  // in the way of writing a new one
  life = std::make_unique<Life>(data.path());
  adopt();
  EXPECT_EQ(inspect("plain").pid, pid);
}

TEST_F(ProcessEngine, TheBootFileIsRemovedAlsoAfterACrashOfTheBox) {
  start("plain");
  life.reset();
  ASSERT_TRUE(std::filesystem::exists(run_file("plain", "boot.json")));
  life = std::make_unique<Life>(data.path(), 1 << 20, paths::program("stand_in_agent"), 0s);
  adopt();
  EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(run_file("plain", "boot.json")); }));
  EXPECT_EQ(inspect("plain").state, State::running);
}

TEST_F(ProcessEngine, AnAgentThatEndedMeanwhileIsMissing) {
  const auto pid = start("plain");
  life.reset();
  ::kill(pid_t(pid), SIGKILL);
  ASSERT_TRUE(eventually([&] { return !is_alive(pid); }));
  life = std::make_unique<Life>(data.path());
  adopt();
  EXPECT_EQ(inspect("plain").state, State::missing);
  EXPECT_FALSE(std::filesystem::exists(run_file("plain", "agent.pid")));
}

// The pid file names a living process of ours, as it would when the number was given out again.
TEST_F(ProcessEngine, AReusedPidIsNeitherAdoptedNorSignalled) {
  const auto bystander = start("bystander");
  start("victim");
  stop("victim");
  life.reset();
  runtime::RunFolder folder(data.path() / "agents/ag_victim");
  const auto real = runtime::proc::stat(pid_t(bystander));
  ASSERT_TRUE(real);
  const auto boot_id = runtime::proc::boot_id();
  const runtime::PidFile forgeries[] = {
      {.pid = bystander, .start_ticks = real->start_ticks - 1, .boot_id = boot_id, .started_at = 1},
      {.pid = bystander, .start_ticks = real->start_ticks, .boot_id = "another start", .started_at = 1}};
  for (auto& forgery : forgeries) {
    folder.write_pid(forgery);
    life = std::make_unique<Life>(data.path());
    life->loop.run(life->engine->adopt({"ag_victim"}));
    EXPECT_EQ(inspect("victim").state, State::missing);
    stop("victim", 0s);
    EXPECT_TRUE(is_alive(bystander));
    life.reset();
  }
}

// An agent may overwrite its arguments, so that the box would not know it again.
TEST_F(ProcessEngine, ARecordedProcessWithOtherArgumentsIsEnded) {
  const auto hidden = start("hidden");
  start("victim");
  stop("victim");
  life.reset();
  const auto real = runtime::proc::stat(pid_t(hidden));
  ASSERT_TRUE(real);
  runtime::RunFolder(data.path() / "agents/ag_victim")
      .write_pid(
          {.pid = hidden, .start_ticks = real->start_ticks, .boot_id = runtime::proc::boot_id(), .started_at = 1});
  life = std::make_unique<Life>(data.path());
  life->loop.run(life->engine->adopt({"ag_victim"}));
  EXPECT_EQ(inspect("victim").state, State::missing);
  EXPECT_TRUE(eventually([&] { return !is_alive(hidden); }));
}

TEST_F(ProcessEngine, KillSessionSparesALaterSessionOfTheSameNumber) {
  const auto pid = start("plain");
  const auto real = runtime::proc::stat(pid_t(pid));
  ASSERT_TRUE(real);
  runtime::proc::kill_session(pid_t(pid), real->start_ticks - 1);
  EXPECT_TRUE(is_alive(pid));
}

TEST_F(ProcessEngine, TheChildInheritsNothing) {
  // A descriptor and a variable that a careless spawn would pass on.
  const int open_by_us = ::open("/etc/hostname", O_RDONLY);
  ::setenv("INTERNAL_API_KEY", "top secret", 1);
  const auto pid = std::to_string(start("plain"));
  std::vector<std::string> environment;
  std::istringstream variables(contents("/proc/" + pid + "/environ"));
  for (std::string one; std::getline(variables, one, '\0');) environment.push_back(one);
  EXPECT_THAT(environment, UnorderedElementsAre(StartsWith("PATH=/usr/"), StartsWith("HOME=" + data.path().string()),
                                                "LANG=C.UTF-8"));
  std::map<std::string, std::string> descriptors;
  for (auto& entry : std::filesystem::directory_iterator("/proc/" + pid + "/fd"))
    descriptors[entry.path().filename()] = std::filesystem::read_symlink(entry.path());
  EXPECT_EQ(descriptors["0"], "/dev/null");
  EXPECT_EQ(descriptors["1"], run_file("plain", "agent.log"));
  EXPECT_EQ(descriptors["2"], run_file("plain", "agent.log"));
  for (auto& [number, target] : descriptors) {
    if (std::stoi(number) <= 2) continue;
    EXPECT_THAT(target, StartsWith("socket:")) << "its own listener and connections only";
  }
  const auto arguments = contents("/proc/" + pid + "/cmdline");
  EXPECT_EQ(arguments.find("token"), std::string::npos);
  ::unsetenv("INTERNAL_API_KEY");
  ::close(open_by_us);
}

TEST_F(ProcessEngine, TheChildIsConfined) {
  const auto pid = start("plain");
  const auto status = contents("/proc/" + std::to_string(pid) + "/status");
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1"));
  EXPECT_THAT(status, HasSubstr("Seccomp:\t2"));
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"})
    EXPECT_THAT(status, HasSubstr(set + std::string(":\t0000000000000000")));
  EXPECT_THAT(status, HasSubstr("SigBlk:\t0000000000000000"));
  EXPECT_EQ(contents("/proc/" + std::to_string(pid) + "/oom_score_adj"), "500\n");
  EXPECT_EQ(::getpriority(PRIO_PROCESS, id_t(pid)), std::min(::getpriority(PRIO_PROCESS, 0) + 10, 19));
  const auto stat = runtime::proc::stat(pid_t(pid));
  EXPECT_EQ(stat->session, pid);
  const auto limits = contents("/proc/" + std::to_string(pid) + "/limits");
  EXPECT_THAT(limits, ContainsRegex("Max open files +100 +100 "));
  EXPECT_THAT(limits, ContainsRegex("Max core file size +0 +0 "));
  EXPECT_THAT(limits, ContainsRegex("Max file size +1073741824 +1073741824 "));
  struct stat boot {};
  ASSERT_EQ(::stat(run_file("plain", "boot.json").c_str(), &boot), 0);
  EXPECT_EQ(boot.st_mode & 0777, 0600u);
}

// Who runs as `user`, in a session of its own; ended by an alarm when by nobody else.
pid_t stray_of(uid_t user) {
  const pid_t stray = ::fork();
  if (stray == 0) {
    ::setsid();
    ::alarm(60);
    if (::setresuid(user, user, user) == 0)
      for (;;) ::pause();
    ::_exit(1);
  }
  while (runtime::proc::user_of(stray) != user) std::this_thread::yield();
  return stray;
}

int signal_that_ended(pid_t stray) {
  int status = 0;
  ::waitpid(stray, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

// Whoever gets the port, and with it the user, next must not share it with what is left of this agent.
TEST_F(ProcessEngine, NoProcessOfAnAgentsUserOutlivesTheAgent) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const auto user = runtime::proc::user_of(pid_t(start("one")));
  ASSERT_TRUE(user && *user != ::geteuid());
  const auto stray = stray_of(*user);
  stop("one", 0s);
  EXPECT_EQ(signal_that_ended(stray), SIGKILL);
}

TEST_F(ProcessEngine, ProcessesOfAnAgentsUserAreKilledBeforeItsStart) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const auto one = spec("one"), two = spec("two");
  const auto started = try_start(one);
  ASSERT_TRUE(started);
  const auto user = runtime::proc::user_of(pid_t(started->pid));
  ASSERT_TRUE(user && *user != ::geteuid());
  const auto stray = stray_of(*user - one.port + two.port);
  ASSERT_TRUE(try_start(two));
  EXPECT_EQ(signal_that_ended(stray), SIGKILL);
}

TEST_F(ProcessEngine, EachAgentOfARootBoxHasItsOwnUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  auto uid_of = [&](std::int64_t pid) {
    struct stat found {};
    ::stat(("/proc/" + std::to_string(pid)).c_str(), &found);
    return found.st_uid;
  };
  const auto one = start("one"), two = start("two");
  EXPECT_NE(uid_of(one), 0u);
  EXPECT_NE(uid_of(one), uid_of(two));
  struct stat workspace {
  }, boot{}, log{};
  ::stat((data.path() / "agents/ag_one/workspace").c_str(), &workspace);
  ::stat(run_file("one", "boot.json").c_str(), &boot);
  ::stat(run_file("one", "agent.log").c_str(), &log);
  EXPECT_EQ(workspace.st_uid, uid_of(one));
  EXPECT_EQ(workspace.st_mode & 0777, 0700u);
  EXPECT_EQ(boot.st_uid, uid_of(one));
  EXPECT_EQ(log.st_uid, 0u);
  EXPECT_EQ(log.st_mode & 0777, 0600u);
}

TEST_F(ProcessEngine, APrivateFolderIsHiddenExceptTheAgentsOwnFiles) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const auto closed = data.path() / "closed", inner = closed / "data";
  std::filesystem::create_directories(inner / "agents");
  std::filesystem::permissions(closed, std::filesystem::perms(0700));
  std::ofstream(inner / "master.key") << "secret";
  life.reset();
  life = std::make_unique<Life>(inner);
  auto wanted = spec("plain");
  wanted.workspace = inner / "agents/ag_plain/workspace";
  auto started = try_start(wanted);
  if (!started) GTEST_SKIP() << "no mount namespaces here: " << started.error().message;
  ASSERT_TRUE(eventually([&] { return !log("ag_plain", 1).empty(); }));
  const std::filesystem::path root = "/proc/" + std::to_string(started->pid) + "/root";
  const auto seen = root / inner.relative_path();
  EXPECT_TRUE(std::filesystem::exists(seen / "agents/ag_plain/workspace"));
  EXPECT_FALSE(std::filesystem::exists(seen / "master.key"));
  struct stat process {};
  ::stat(("/proc/" + std::to_string(started->pid)).c_str(), &process);
  EXPECT_NE(process.st_uid, 0u);
  stop("plain");
  life.reset();
  known.clear();
}

TEST_F(ProcessEngine, KeepsTheLogSmall) {
  life.reset();
  life = std::make_unique<Life>(data.path(), 1000);
  start("plain");
  std::ofstream(run_file("plain", "agent.log"), std::ios::app) << std::string(2000, 'x') << "\nlast of the old\n";
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(run_file("plain", "agent.log.1")); }));
  ASSERT_TRUE(eventually([&] { return std::filesystem::file_size(run_file("plain", "agent.log")) == 0; }));
  std::ofstream(run_file("plain", "agent.log"), std::ios::app) << "first of the new\n";
  EXPECT_THAT(log("ag_plain", 2), ElementsAre("last of the old", "first of the new"));
}

TEST_F(ProcessEngine, MeasuresMemoryAndUptime) {
  start("plain");
  auto stats = life->loop.run(life->engine->stats("ag_plain"));
  ASSERT_TRUE(stats);
  EXPECT_GT(stats->memory_bytes, 100'000u);
  EXPECT_GE(stats->cpu_percent, 0);
  EXPECT_FALSE(life->loop.run(life->engine->stats("ag_nobody")));
}

TEST_F(ProcessEngine, RemoveDeletesTheRunFilesOfAStoppedAgent) {
  start("plain");
  auto early = life->loop.run(life->engine->remove("ag_plain"));
  EXPECT_FALSE(early);
  stop("plain");
  EXPECT_TRUE(life->loop.run(life->engine->remove("ag_plain")));
  EXPECT_FALSE(std::filesystem::exists(data.path() / "agents/ag_plain/run"));
  EXPECT_TRUE(std::filesystem::exists(data.path() / "agents/ag_plain/workspace"));
}

}  // namespace runtime_test
