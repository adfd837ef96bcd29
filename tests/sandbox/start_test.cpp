// Programs that are started confined: what they get, and what they cannot reach.
#include "sandbox/start.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <system_error>

#include "sandbox/landlock.h"
#include "tests/support/temporary_folder.h"

namespace sandbox {
namespace start_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr uid_t some_user = 61'235;

class Start : public testing::Test {
 protected:
  Start() {
    fs::permissions(folder_.path(), fs::perms(0711));
    fs::create_directories(own());
    fs::permissions(own(), fs::perms(0777));
    std::ofstream(folder_.path() / "secret") << "secret";
  }
  fs::path own() const { return folder_.path() / "own"; }

  // What the shell script writes to its standard output and error.
  std::string run(const std::string& script, const Confinement& place) {
    const int output = ::open((folder_.path() / "output").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const Program program{.binary = "/bin/sh",
                          .arguments = {"sh", "-c", script},
                          .environment = {"PATH=/usr/bin:/bin"},
                          .folder = own(),
                          .output = output,
                          .error = output,
                          .inherited = {}};
    const auto started = start(program, place);
    ::waitpid(started.pid, &status_, 0);
    ::close(started.process);
    ::close(output);
    std::ifstream file(folder_.path() / "output");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string read_secret() const { return "read x < " + (folder_.path() / "secret").string() + "; echo \"got $x\""; }
  Confinement with_files() const {
    return {.user = {},
            .namespaces = {},
            .files = Files{.readable = {}, .changeable = {own()}},
            .tcp = {},
            .calls = {},
            .limits = {}};
  }

  int status_ = 0;
  const test_support::TemporaryFolder folder_;
};

TEST_F(Start, APlainProgramRuns) {
  EXPECT_EQ(run("echo hello; pwd", {}), "hello\n" + own().string() + "\n");
  EXPECT_EQ(status_, 0);
  EXPECT_THAT(run(read_secret(), {}), HasSubstr("got secret"));
}

TEST_F(Start, SaysWhatFailed) {
  const Program program{
      .binary = folder_.path() / "nothing", .arguments = {"nothing"}, .environment = {}, .folder = {}, .inherited = {}};
  try {
    start(program, {});
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("run the program: No such file"));
  }
}

TEST_F(Start, HasNoCapabilitiesAndNoNewPrivileges) {
  const auto state = run("while read line; do echo \"$line\"; done < /proc/self/status", {});
  for (const char* line : {"CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "NoNewPrivs:\t1"})
    EXPECT_THAT(state, HasSubstr(line));
  // A process without privileges may not drop those that it could not gain anyway.
  if (::geteuid() == 0) {
    EXPECT_THAT(state, HasSubstr("CapBnd:\t0000000000000000"));
  }
}

TEST_F(Start, LandlockHidesFiles) {
  if (landlock_version() < landlock_renames) GTEST_SKIP() << "the kernel has no Landlock 2";
  EXPECT_THAT(run(read_secret() + "; echo x > here && echo wrote; echo x > ../there", with_files()),
              testing::AllOf(Not(HasSubstr("got secret")), HasSubstr("wrote"), HasSubstr("there: Permission denied")));
}

TEST_F(Start, NamespacesHideFilesAndProcesses) {
  if (!kernel().namespaces) GTEST_SKIP() << "namespaces are not permitted";
  Confinement place;
  place.namespaces = Namespaces{.hidden = folder_.path(), .visible = {own()}};
  const auto said =
      run("echo $$; echo x > here && echo wrote; for p in /proc/[0-9]*; do echo $p; done; " + read_secret(), place);
  EXPECT_THAT(said, testing::AllOf(HasSubstr("wrote"), Not(HasSubstr("got secret"))));
  if (kernel().own_processes) {
    EXPECT_THAT(said, testing::StartsWith("1\n"));
    EXPECT_THAT(said, HasSubstr("/proc/1\n"));
    EXPECT_THAT(said, Not(HasSubstr("/proc/" + std::to_string(::getpid()) + "\n")));
  }
}

TEST_F(Start, BecomesItsOwnUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  auto place = with_files();
  place.user = some_user;
  if (kernel().namespaces) place.namespaces = Namespaces{.hidden = folder_.path(), .visible = {own()}};
  place.calls = SystemCalls{.sockets = Sockets::tcp};
  place.limits.processes = 20;
  const auto state = run("while read line; do echo \"$line\"; done < /proc/self/status; ulimit -u", place);
  EXPECT_THAT(state, HasSubstr("Uid:\t61235\t61235\t61235\t61235"));
  EXPECT_THAT(state, HasSubstr("Seccomp:\t2"));
}

TEST_F(Start, FiltersSystemCalls) {
  Confinement place;
  place.calls = SystemCalls{.starts_processes = false, .signals_others = false, .sockets = Sockets::none};
  EXPECT_THAT(run("kill -0 " + std::to_string(::getpid()) + " && echo signalled", place), Not(HasSubstr("signalled")));
#ifndef AGENTBOX_SANITIZED
  EXPECT_THAT(run("(echo child)", place), Not(HasSubstr("child")));
#endif
}

TEST_F(Start, InheritsWhatItIsGiven) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int careless = ::open("/etc/hostname", O_RDONLY);
  const Program program{.binary = "/bin/sh",
                        .arguments = {"sh", "-c", "ls -l /proc/self/fd >&3"},
                        .environment = {"PATH=/usr/bin:/bin"},
                        .folder = {},
                        .inherited = {ends[1]}};
  const auto started = start(program, {});
  ::waitpid(started.pid, &status_, 0);
  ::close(ends[1]);
  char said[2048];
  const auto size = ::read(ends[0], said, sizeof said);
  ASSERT_GT(size, 0);
  const std::string text(said, std::size_t(size));
  EXPECT_THAT(text, HasSubstr(" 3 -> pipe:"));
  EXPECT_THAT(text, Not(HasSubstr("/etc/hostname")));
  ::close(started.process);
  ::close(ends[0]);
  ::close(careless);
}

}  // namespace start_test
}  // namespace sandbox
