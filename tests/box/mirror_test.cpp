// Copies of folders that other programs write in, and may hold.
#include "appliance/box/maintenance/mirror.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include "appliance/box/maintenance/backup_folder.h"
#include "appliance/foundation/data_folder.h"
#include "sandbox/become_user.h"
#include "tests/support/temporary_folder.h"

namespace mirror_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

maintenance::Mirrored mirror(const fs::path& from, const fs::path& to) {
  const files::Descriptor source(::open(from.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return maintenance::mirror(source, to);
}

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Mirror : public testing::Test {
 protected:
  Mirror() {
    ::signal(SIGIO, SIG_IGN);  // asks for a lease to be given up
    fs::create_directories(from);
    for (const auto* name : {"held", "plain"}) std::ofstream(from / name) << name;
  }
  ~Mirror() override { ::signal(SIGIO, SIG_DFL); }

  const test_support::TemporaryFolder folder;
  const fs::path from = folder.path() / "from", to = folder.path() / "to";
};

class Lease {
 public:
  explicit Lease(const fs::path& path) : file_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    if (::fcntl(file_, F_SETLEASE, F_WRLCK) != 0) throw std::runtime_error("no lease");
  }
  ~Lease() { ::close(file_); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

 private:
  const int file_;
};

TEST_F(Mirror, LeavesOutAFileUnderALease) {
  mirror(from, to);
  std::ofstream(from / "held") << "changed";
  std::ofstream(from / "plain") << "changed";
  const Lease lease(from / "held");
  const auto done = mirror(from, to);
  EXPECT_EQ(done.refused, 1u);
  EXPECT_THAT(maintenance::sentences(done), ElementsAre(HasSubstr("held: Resource temporarily unavailable")));
  EXPECT_EQ(contents(to / "plain"), "changed");
  EXPECT_EQ(contents(to / "held"), "held") << "the earlier copy";
}

TEST_F(Mirror, WaitsForALeaseThatEnds) {
  auto lease = std::make_unique<Lease>(from / "held");
  std::jthread holder([&] {
    std::this_thread::sleep_for(200ms);
    lease.reset();
  });
  EXPECT_THAT(maintenance::sentences(mirror(from, to)), IsEmpty());
  EXPECT_EQ(contents(to / "held"), "held");
}

// In another process, as a user for whom file modes count.
int as_a_plain_user(const std::function<int()>& act) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::geteuid() == 0) sandbox::become_user({.user = 61'234, .group = 61'234});
    ::_exit(act());
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

TEST_F(Mirror, LeavesOutWhatAnAgentHasClosed) {
  const agentbox::DataFolder source(folder.path()), target(folder.path() / "copy");
  const auto agents = source.agents(), copy = target.agents();
  for (const auto* agent : {"a", "b", "c"}) {
    fs::create_directories(agents / agent / "workspace/deep");
    std::ofstream(agents / agent / "workspace/notes") << "notes";
    std::ofstream(agents / agent / "workspace/deep/file") << "file";
  }
  if (::geteuid() == 0) sandbox::give_folder(folder.path(), {}, {.user = 61'234, .group = 61'234});
  fs::permissions(agents / "a/workspace/notes", fs::perms::none);
  fs::permissions(agents / "a/workspace/deep", fs::perms::owner_read);
  fs::permissions(agents / "b/workspace", fs::perms::none);
  EXPECT_EQ(as_a_plain_user([&] {
              const auto left_out = maintenance::copy_workspaces(source, target);
              std::size_t sentences = 0;
              for (const auto& one : left_out) sentences += one.what.size();
              return left_out.size() == 2 && sentences == 3 ? 0 : 1;
            }),
            0);
  EXPECT_EQ(contents(copy / "c/workspace/notes"), "notes");
  EXPECT_FALSE(fs::exists(copy / "a/workspace/notes"));
  EXPECT_TRUE(fs::exists(copy / "a/workspace/deep"));
  fs::permissions(agents / "b/workspace", fs::perms::owner_all);
  fs::permissions(agents / "a/workspace/deep", fs::perms::owner_all);
}

}  // namespace mirror_test
