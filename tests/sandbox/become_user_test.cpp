#include "sandbox/become_user.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "tests/support/temporary_folder.h"

namespace become_user_test {

namespace fs = std::filesystem;

constexpr sandbox::Account plain{.user = 61'234, .group = 61'235};

uid_t owner_of(const fs::path& path) {
  struct stat about {};
  EXPECT_EQ(::lstat(path.c_str(), &about), 0) << path;
  return about.st_uid;
}

void write(const fs::path& path) { std::ofstream(path) << "text"; }

class BecomeUser : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  }
};

TEST_F(BecomeUser, GivesAFolderWithoutWhatIsOutside) {
  const test_support::TemporaryFolder data, outside;
  const auto agents = data.path() / "agents", workspace = agents / "ag_1/workspace";
  fs::create_directories(workspace / "deep");
  fs::create_directories(data.path() / "store");
  for (const auto* name : {"linked", "followed", "below"}) write(outside.path() / name);
  write(workspace / "deep/own");
  write(data.path() / "store/log");
  fs::create_hard_link(data.path() / "store/log", data.path() / "store/checkpoint");
  fs::create_hard_link(outside.path() / "linked", workspace / "linked");
  fs::create_symlink(outside.path() / "followed", workspace / "followed");
  fs::create_directory_symlink(outside.path(), workspace / "folder");

  sandbox::give_folder(data.path(), agents, plain);

  for (const auto& given : {data.path(), agents, workspace, workspace / "deep/own", workspace / "followed",
                            data.path() / "store/log", data.path() / "store/checkpoint"})
    EXPECT_EQ(owner_of(given), plain.user) << given;
  EXPECT_EQ(owner_of(outside.path()), 0u);
  for (const auto* name : {"linked", "followed", "below"}) EXPECT_EQ(owner_of(outside.path() / name), 0u) << name;
}

// In a process of its own.
bool holds_in_a_child(const std::function<bool()>& check) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(check() ? 0 : 1);
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(BecomeUser, LeavesNoWayBack) {
  EXPECT_TRUE(holds_in_a_child([] {
    sandbox::become_user(plain);
    gid_t groups[1];
    return ::getuid() == plain.user && ::getegid() == plain.group && ::getgroups(1, groups) == 0 &&
           ::setresuid(0, 0, 0) != 0 && ::setresgid(0, 0, 0) != 0 && ::access("/root", R_OK) != 0 &&
           ::prctl(PR_CAPBSET_READ, 0, 0, 0, 0) == 0 && ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  }));
}

TEST_F(BecomeUser, KnowsTheUsersOfTheSystem) {
  EXPECT_EQ(sandbox::account_named("root")->user, 0u);
  EXPECT_FALSE(sandbox::account_named("no-such-user"));
}

}  // namespace become_user_test
