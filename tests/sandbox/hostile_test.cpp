// The hostile agent (tests/security/hostile_agent.cpp) under a confinement such as agents have, without an engine
// around.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fstream>
#include <sstream>
#include <thread>

#include "sandbox/landlock.h"
#include "sandbox/start.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_folder.h"

namespace sandbox {
namespace hostile_test {

namespace fs = std::filesystem;

struct Listening {
  Listening() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(socket, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(socket, 8) != 0 ||
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("cannot listen");
    port = ntohs(address.sin_port);
  }
  ~Listening() { ::close(socket); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::uint16_t port = 0;
};

// With or without namespaces.
class Hostile : public testing::TestWithParam<bool> {
 protected:
  Hostile() {
    fs::permissions(data(), fs::perms(0711));
    std::ofstream(data() / "master.key") << "secret";
    fs::permissions(data() / "master.key", fs::perms(0600));
    fs::create_directories(data() / "agents/other/workspace");
    std::ofstream(data() / "agents/other/workspace/notes") << "notes";
    fs::permissions(data() / "agents/other/workspace", fs::perms(0700));
    fs::create_directories(workspace());
    fs::permissions(workspace(), fs::perms(0777));
    const boost::json::object targets{{"secret", (data() / "master.key").string()},
                                      {"neighbour", (data() / "agents/other/workspace").string()},
                                      {"socket", (data() / "socket").string()},
                                      {"box", ::getpid()},
                                      {"closed_port", closed_.port},
                                      {"open_port", open_.port},
                                      {"own_port", open_.port}};
    const boost::json::object boot{{"workspace", workspace().string()}, {"model", boost::json::serialize(targets)}};
    std::ofstream(boot_file()) << boost::json::serialize(boot);
    fs::permissions(boot_file(), fs::perms(0644));
  }
  const fs::path& data() const { return data_.path(); }
  fs::path workspace() const { return data() / "agents/own/workspace"; }
  fs::path boot_file() const { return data() / "agents/own/boot.json"; }

  Confinement place() const {
    const bool has_namespaces = GetParam();
    Confinement wanted{
        .user = 61'236,
        .namespaces = {},
        .files = Files{.readable = {boot_file()}, .changeable = {workspace()}},
        .tcp = TcpPorts{.connect = {open_.port}, .bind = {}},
        .calls = SystemCalls{.starts_processes = false, .signals_others = has_namespaces, .sockets = Sockets::tcp},
        .limits = {.memory_bytes = 1ull << 30, .file_bytes = 32u << 20, .open_files = 100, .processes = 64}};
    if (has_namespaces)
      wanted.namespaces =
          Namespaces{.hidden = data(), .visible = {data() / "agents/own", paths::program("hostile_agent")}};
    return wanted;
  }
  std::vector<std::string> log() const {
    std::vector<std::string> lines;
    std::ifstream file(data() / "log");
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  const test_support::TemporaryFolder data_;
  const Listening closed_, open_;
};

TEST_P(Hostile, IsRefusedEverything) {
  if (landlock_version() < landlock_tcp) GTEST_SKIP() << "the kernel has no port rules";
  if (GetParam() && !kernel().namespaces) GTEST_SKIP() << "namespaces are not permitted";
  const int output = ::open((data() / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const Program program{.binary = paths::program("hostile_agent"),
                        .arguments = {"hostile", "agent", "--boot", boot_file().string()},
                        .environment = {"PATH=/usr/bin:/bin"},
                        .folder = workspace(),
                        .output = output,
                        .error = output,
                        .inherited = {}};
  const auto started = start(program, place());
  for (int look = 0; look < 2'000 && (log().empty() || log().back() != "end"); ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(started.pid, SIGKILL);
  ::waitpid(started.pid, nullptr, 0);
  ::close(started.process);
  ::close(output);
  ASSERT_FALSE(log().empty());
  EXPECT_EQ(log().back(), "end");
  for (const auto& line : log()) {
    if (line != "end") {
      EXPECT_THAT(line, testing::StartsWith("refused "));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Hostile, testing::Bool(),
                         [](const auto& mode) { return mode.param ? "WithNamespaces" : "WithLandlockAlone"; });

}  // namespace hostile_test
}  // namespace sandbox
