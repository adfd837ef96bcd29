// A hostile agent in each mode that this machine can run: all that it tries is refused, and nothing of it outlives its
// stop. See hostile_agent.cpp.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <boost/json.hpp>
#include <csignal>
#include <functional>
#include <sstream>

#include "appliance/runtime/proc.h"
#include "appliance/runtime/process_engine.h"
#include "sandbox/become_user.h"
#include "sandbox/landlock.h"
#include "sandbox/spawn_helper.h"
#include "sandbox/start.h"
#include "tests/hosting/agent_fixture.h"
#include "tests/support/paths.h"

namespace isolation_test {

namespace fs = std::filesystem;

using namespace agent_tests;
using namespace std::chrono_literals;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr uid_t plain_user = 61'234;

void must(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

void become_a_plain_user() {
  if (::geteuid() != 0) return;
  must(::setgroups(0, nullptr) == 0 && ::setresgid(plain_user, plain_user, plain_user) == 0 &&
           ::setresuid(plain_user, plain_user, plain_user) == 0,
       "become a plain user");
}

// As a kernel or a container that permits none.
void forbid_namespaces() {
  const auto load = [](std::size_t offset) -> sock_filter {
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, std::uint32_t(offset));
  };
  const auto if_equal = [](std::uint32_t value, std::uint8_t skipped) -> sock_filter {
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped);
  };
  const auto answer = [](std::uint32_t action) -> sock_filter { return BPF_STMT(BPF_RET | BPF_K, action); };
  sock_filter steps[] = {load(offsetof(seccomp_data, nr)),
                         if_equal(SYS_unshare, 1),
                         answer(SECCOMP_RET_ERRNO | EPERM),
                         if_equal(SYS_clone3, 1),
                         answer(SECCOMP_RET_ERRNO | ENOSYS),
                         if_equal(SYS_clone, 3),
                         load(offsetof(seccomp_data, args)),
                         BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID, 0, 1),
                         answer(SECCOMP_RET_ERRNO | EPERM),
                         answer(SECCOMP_RET_ALLOW)};
  const sock_fprog program{.len = std::size(steps), .filter = steps};
  sandbox::forbid_new_privileges();
  must(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0, "forbid namespaces");
}

// What the Docker Engine leaves to root in a container: not CAP_SYS_ADMIN, CAP_SYS_PTRACE and their like.
void become_a_containers_root() {
  constexpr unsigned kept = 1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_FOWNER | 1u << CAP_KILL |
                            1u << CAP_SETGID | 1u << CAP_SETUID | 1u << CAP_SETPCAP;
  __user_cap_header_struct head{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const __user_cap_data_struct data[2] = {{.effective = kept, .permitted = kept, .inheritable = 0}, {}};
  must(::syscall(SYS_capset, &head, data) == 0, "give up capabilities");
}

// The rest of a box around the agent: its data folder, another agent's files, and what listens.
class Surroundings {
 public:
  Surroundings() {
    fs::permissions(data_.path(), fs::perms(0700));
    fs::create_directories(neighbour());
    std::ofstream(data_.path() / "master.key") << "the master key";
    std::ofstream(neighbour() / "notes") << "the neighbour's notes";
    fs::permissions(neighbour(), fs::perms(0700));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, socket().c_str(), sizeof address.sun_path - 1);
    must(::bind(local_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
             ::listen(local_.get(), 8) == 0,
         "listen locally");
    ::chmod(socket().c_str(), 0777);
  }

  runtime::AgentSpec spec() const {
    runtime::AgentSpec wanted;
    wanted.id = "ag_hostile";
    wanted.name = "hostile";
    wanted.workspace = data_.path() / "agents/ag_hostile/workspace";
    wanted.port = free_port();
    wanted.backend_url = "http://127.0.0.1:" + std::to_string(open_.port);
    wanted.summarizer_url = wanted.backend_url;
    wanted.limits.open_files = 100;
    wanted.limits.file_bytes = 32u << 20;
    const boost::json::object targets{{"secret", (data_.path() / "master.key").string()},
                                      {"neighbour", neighbour().string()},
                                      {"socket", socket().string()},
                                      {"box", ::getpid()},
                                      {"closed_port", closed_.port},
                                      {"open_port", open_.port},
                                      {"own_port", wanted.port}};
    wanted.model = boost::json::serialize(targets);
    return wanted;
  }
  fs::path agents() const { return data_.path() / "agents"; }
  const fs::path& data() const { return data_.path(); }

 private:
  struct Listening {
    Listening() : port(free_port()) {
      const int yes = 1;
      ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(port);
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      must(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
               ::listen(socket.get(), 64) == 0,
           "listen");
    }
    const std::uint16_t port;
    files::Descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  };
  fs::path neighbour() const { return data_.path() / "agents/ag_neighbour/workspace"; }
  fs::path socket() const { return data_.path() / "socket"; }

  const TemporaryFolder data_;
  const files::Descriptor local_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const Listening closed_, open_;
};

struct Story {
  std::string level;
  std::vector<std::string> lines;
  bool outlived = false;
  std::string user = "unknown";  // of the agent, less its port
};

bool beats(const fs::path& heart) {
  const auto before = contents(heart);
  for (int look = 0; look < 50; ++look) {
    std::this_thread::sleep_for(5ms);
    if (contents(heart) != before) return true;
  }
  return false;
}

using Prepare = std::function<void(const Surroundings&)>;

Story attack(const Prepare& prepare) {
  const Surroundings around;
  prepare(around);
  boost::asio::thread_pool files{2};
  Loop loop;
  runtime::ProcessEngine engine({.binary = paths::program("hostile_agent"), .folder = around.agents()}, loop.io, files);
  Story story{.level = boost::describe::enum_to_string(engine.isolation().level, ""), .lines = {}};
  const auto spec = around.spec();
  const auto started = loop.run(engine.start(spec));
  if (!started) throw std::runtime_error(started.error().message);
  if (const auto user = runtime::proc::user_of(pid_t(started->pid))) story.user = std::to_string(*user - spec.port);
  const auto lines = [&] { return loop.run(engine.logs(spec.id, 100)).value(); };
  eventually([&] { return !lines().empty() && lines().back() == "end"; });
  story.lines = lines();
  const auto stopped = loop.run(engine.stop(spec.id, 0s));
  if (!stopped) throw std::runtime_error(stopped.error().message);
  story.outlived = beats(spec.workspace / "heartbeat");
  loop.stop();
  files.join();
  return story;
}

// In a process of its own, after `prepare`, and `prepare_there` when there is a data folder.
Story attack_in(
    const std::function<void()>& prepare, const Prepare& prepare_there = [](const Surroundings&) {}) {
  int ends[2];
  must(::pipe2(ends, O_CLOEXEC) == 0, "pipe");
  const pid_t pid = ::fork();
  if (pid == 0) {
    std::ostringstream text;
    try {
      prepare();
      ::prctl(PR_SET_DUMPABLE, 0);  // as the box does
      const auto story = attack(prepare_there);
      text << story.level << '\n' << story.outlived << '\n' << story.user << '\n';
      for (const auto& line : story.lines) text << line << '\n';
    } catch (const std::exception& error) {
      text << "failed: " << error.what() << "\n0\n0\n";
    }
    const auto all = text.str();
    [[maybe_unused]] const auto written = ::write(ends[1], all.data(), all.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string all;
  char piece[4096];
  for (ssize_t got; (got = ::read(ends[0], piece, sizeof piece)) > 0;) all.append(piece, std::size_t(got));
  ::close(ends[0]);
  ::waitpid(pid, nullptr, 0);
  Story story;
  std::istringstream lines(all);
  std::string outlived, line;
  std::getline(lines, story.level);
  std::getline(lines, outlived);
  std::getline(lines, story.user);
  story.outlived = outlived != "0";
  while (std::getline(lines, line)) story.lines.push_back(line);
  return story;
}

// As start_spawn_helper, but serving in a copy of this process: the binary is another one.
std::unique_ptr<sandbox::SpawnHelper> helper_in_a_child(const sandbox::SpawnOptions& options) {
  int ends[2];
  must(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
  if (::fork() == 0) {
    ::close(ends[0]);
    sandbox::serve_spawn(options, ends[1]);
    ::_exit(0);
  }
  ::close(ends[1]);
  return std::make_unique<sandbox::SpawnHelper>(sandbox::Descriptor(ends[0]), options.first_user);
}

void expect_all_refused(const Story& story) {
  ASSERT_THAT(story.lines, Not(IsEmpty())) << story.level;
  EXPECT_EQ(story.lines.back(), "end");
  EXPECT_EQ(story.lines.size(), 23u);
  for (const auto& line : story.lines) {
    if (line != "end") {
      EXPECT_THAT(line, StartsWith("refused "));
    }
  }
  EXPECT_FALSE(story.outlived);
}

class HostileAgent : public testing::Test {
 protected:
  void SetUp() override {
    if (sandbox::landlock_version() < sandbox::landlock_tcp) GTEST_SKIP() << "the kernel has no port rules";
  }
};

TEST_F(HostileAgent, OfARootBox) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const auto story = attack_in([] {});
  expect_all_refused(story);
  EXPECT_EQ(story.level, "strong");
}

TEST_F(HostileAgent, OfAPlainUsersBox) {
  const auto story = attack_in(become_a_plain_user);
  expect_all_refused(story);
  EXPECT_THAT(story.level, testing::AnyOf("strong", "basic"));  // as the machine permits namespaces
}

// As with RUN_AS.
TEST_F(HostileAgent, OfARootBoxThatBecameAUserWithAHelper) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const auto story = attack_in([] {},
                               [](const Surroundings& around) {
                                 const sandbox::Account box{.user = plain_user, .group = plain_user};
                                 sandbox::give_folder(around.data(), around.agents(), box);
                                 sandbox::helper_of_this_process().helper =
                                     helper_in_a_child({.binary = paths::program("hostile_agent"),
                                                        .agents = around.agents(),
                                                        .hidden = around.data(),
                                                        .box = box,
                                                        .first_user = 1'900'000'000});
                                 sandbox::become_user(box);
                               });
  expect_all_refused(story);
  EXPECT_EQ(story.level, "strong");
  EXPECT_EQ(story.user, "1900000000") << "neither root's nor the box's";
}

// As with RUN_AS where there can be no helper.
TEST_F(HostileAgent, OfARootBoxThatBecameAUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const auto story = attack_in([] { sandbox::become_user({.user = plain_user, .group = plain_user}); });
  expect_all_refused(story);
  EXPECT_THAT(story.level, testing::AnyOf("strong", "basic"));
}

TEST_F(HostileAgent, OfAPlainUsersBoxWithoutNamespaces) {
  const auto story = attack_in([] {
    become_a_plain_user();
    forbid_namespaces();
  });
  expect_all_refused(story);
  EXPECT_EQ(story.level, "basic");
}

TEST_F(HostileAgent, OfABoxInAContainer) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const auto story = attack_in(become_a_containers_root);
  expect_all_refused(story);
  EXPECT_EQ(story.level, "basic");
}

}  // namespace isolation_test
