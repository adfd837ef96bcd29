// The summarizer's process: confined, serving over a real socket, drained by SIGTERM.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <fstream>
#include <future>
#include <thread>

#include "summarizer/confine.h"
#include "summarizer/runaway.h"
#include "summarizer/summarizer.h"
#include "tests/support/loopback.h"
#include "web/client/fetch.h"

namespace summarizer {
namespace process_test {

using test_support::Loopback;
using test_support::Peer;

// Runs the summarizer in a child of this process; its address once it is ready.
class Child {
 public:
  Child() {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      const auto say = [end = ends[1]](const std::string& url) {
        [[maybe_unused]] const auto written = ::write(end, url.data(), url.size());
        ::close(end);
      };
      try {
        run({.listen = "127.0.0.1:0", .allow_private = true, .on_ready = say, .threads = 2});
        ::_exit(0);
      } catch (...) {
        ::_exit(1);
      }
    }
    ::close(ends[1]);
    char text[256];
    for (ssize_t count; (count = ::read(ends[0], text, sizeof text)) > 0;) url_.append(text, std::size_t(count));
    ::close(ends[0]);
  }
  ~Child() {
    if (pid_ > 0) end_with(SIGKILL);
  }

  const std::string& url() const { return url_; }
  // The exit status of waitpid.
  int end_with(int signal) {
    ::kill(pid_, signal);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }
  std::string state(const std::string& name) const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
    }
    return {};
  }

 private:
  pid_t pid_ = -1;
  std::string url_;
};

class SummarizerProcess : public ::testing::Test {
 protected:
  web::Result<web::FetchResponse> ask(web::FetchRequest request) {
    auto answer = boost::asio::co_spawn(io_, web::fetch(std::move(request)), boost::asio::use_future);
    io_.restart();
    io_.run();
    return answer.get();
  }
  web::Result<web::FetchResponse> summarize(const Child& child, const std::string& url) {
    web::FetchRequest request{.url = child.url() + "/api/summarize", .method = "POST"};
    request.headers = {{"Content-Type", "application/json"}};
    request.body = boost::json::serialize(boost::json::object{{"url", url}});
    return ask(std::move(request));
  }
  boost::asio::io_context io_;
};

TEST_F(SummarizerProcess, ServesConfinedAndDrains) {
  Child child;
  ASSERT_THAT(child.url(), ::testing::StartsWith("http://127.0.0.1:"));
  EXPECT_EQ(child.state("NoNewPrivs"), "1");
  EXPECT_EQ(child.state("Seccomp"), "2");

  const auto health = ask({.url = child.url() + "/health"});
  ASSERT_TRUE(health) << health.error().message;
  EXPECT_EQ(health->status, 200);

  Loopback site([](Peer& peer) {
    while (!peer.read_request().empty())
      peer.answer("<title>caf\xE9</title>", "Content-Type: text/html;charset=latin1\r\n");
  });
  // By name, so that the resolver's threads run under the filter too.
  const auto answer = summarize(child, "http://localhost:" + std::to_string(site.port()) + "/");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200) << answer->body;
  EXPECT_EQ(boost::json::parse(answer->body).at("title"), "café");

  web::FetchRequest empty{.url = child.url() + "/api/summarize", .method = "POST", .body = "{}"};
  EXPECT_EQ(ask(empty)->status, 415);
  empty.headers = {{"Content-Type", "application/json"}};
  const auto missing = ask(empty);
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->status, 400);
  EXPECT_EQ(boost::json::parse(missing->body).at("error"), "url required");

  EXPECT_EQ(child.end_with(SIGTERM), 0);
}

TEST_F(SummarizerProcess, ASlowPageDelaysNoOthers) {
  Child child;
  std::promise<void> asked, release;
  Loopback slow([&](Peer& peer) {
    peer.read_request();
    asked.set_value();
    release.get_future().wait();
    peer.answer("<title>slow</title>", "Content-Type: text/html\r\n");
  });
  auto first = std::async(std::launch::async, [&] {
    boost::asio::io_context io;
    web::FetchRequest request{.url = child.url() + "/api/summarize", .method = "POST"};
    request.headers = {{"Content-Type", "application/json"}};
    request.body = boost::json::serialize(boost::json::object{{"url", slow.url()}});
    auto answer = boost::asio::co_spawn(io, web::fetch(std::move(request)), boost::asio::use_future);
    io.run();
    return answer.get();
  });
  asked.get_future().wait();
  EXPECT_EQ(ask({.url = child.url() + "/health"})->status, 200);
  release.set_value();
  const auto answer = first.get();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(answer->body, ::testing::HasSubstr("slow"));
}

// Runs `crime` in a confined process; returns its exit status of waitpid.
int status_of_confined(const std::function<int()>& crime) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    confine_process();
    ::_exit(crime());
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

// 0 if nothing could be started.
int start_something() {
  char name[] = "true";
  char* const arguments[] = {name, nullptr};
  ::execv("/bin/true", arguments);
  if (errno != EPERM) return 1;
#ifndef AGENTBOX_SANITIZED
  if (::fork() != -1 || errno != EPERM) return 2;
#endif
  std::thread([] {}).join();
  return 0;
}

TEST(Confined, CannotStartProgramsOrProcesses) { EXPECT_EQ(status_of_confined(start_something), 0); }

TEST(Confined, CannotReachOtherProcessesOrLocalSockets) {
  EXPECT_EQ(status_of_confined([parent = ::getpid()] {
              if (::kill(parent, 0) != -1 || errno != EPERM) return 1;
              if (::socket(AF_UNIX, SOCK_STREAM, 0) != -1 || errno != EAFNOSUPPORT) return 2;
              if (::socket(AF_PACKET, SOCK_RAW, 0) != -1) return 3;
              const int internet = ::socket(AF_INET6, SOCK_STREAM, 0);
              return internet < 0 ? 4 : 0;
            }),
            0);
  EXPECT_EQ(WTERMSIG(status_of_confined([]() -> int {
              ::raise(SIGTERM);
              return 0;
            })),
            SIGTERM);
}

TEST(Confined, SeesTheSystemsFilesAlone) {
  if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) < 1) GTEST_SKIP() << "this kernel has no Landlock";
  char secret[] = "/tmp/agentbox-secret-XXXXXX";
  const int file = ::mkstemp(secret);
  ASSERT_GE(file, 0);
  EXPECT_EQ(status_of_confined([&secret] {
              if (::open(secret, O_RDONLY) != -1 || errno != EACCES) return 1;
              if (::open("/tmp/agentbox-new", O_CREAT | O_WRONLY, 0600) != -1) return 2;
              if (::open("/etc/nsswitch.conf", O_WRONLY) != -1) return 3;
              if (::open("/etc/hosts", O_RDONLY) < 0) return 4;
              return ::open("/dev/null", O_RDWR) < 0 ? 5 : 0;
            }),
            0);
  ::close(file);
  ::unlink(secret);
}

TEST(RunawayGuard, EndsARunawayProcess) {
  const auto status = status_of_confined([]() -> int {
    std::thread wild([] {
      const RunawayGuard guard(std::chrono::milliseconds(20));
      for (;;) ::getpid();
    });
    wild.join();
    return 0;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGVTALRM);
}

TEST(RunawayGuard, DoesNothingAfterTheWorkIsDone) {
  EXPECT_EQ(status_of_confined([] {
              { const RunawayGuard guard(std::chrono::milliseconds(1)); }
              timespec used{};
              do ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
              while (used.tv_sec == 0 && used.tv_nsec < 50'000'000);
              return 0;
            }),
            0);
}

}  // namespace process_test
}  // namespace summarizer
