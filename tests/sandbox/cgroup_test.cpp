// Control groups, on a folder that stands for the kernel's: what is written where.
#include "sandbox/cgroup.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace sandbox {
namespace cgroup_test {

namespace fs = std::filesystem;

class CgroupTree : public testing::Test {
 protected:
  void file(const std::string& name, const std::string& content = "") {
    fs::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << content;
  }
  std::string content(const std::string& name) {
    std::ifstream input(folder_.path() / name);
    return {std::istreambuf_iterator<char>(input), {}};
  }
  // The files that the kernel makes with each group.
  void delegated(const std::string& controllers) {
    file("membership", "1:name=systemd:/x\n0::/system.slice/agentbox.service\n");
    const std::string own = "mount/system.slice/agentbox.service/";
    file(own + "cgroup.controllers", controllers);
    for (const char* name : {"cgroup.procs", "cgroup.subtree_control", "box/cgroup.procs", "a/memory.max", "a/pids.max",
                             "a/cpu.max", "a/cgroup.procs"})
      file(own + name);
  }
  std::optional<Cgroups> take() { return Cgroups::take(folder_.path() / "mount", folder_.path() / "membership"); }

  const test_support::TemporaryFolder folder_;
};

TEST_F(CgroupTree, DividesAGroupThatWasDelegated) {
  delegated("cpuset cpu io memory pids\n");
  const auto groups = take();
  ASSERT_TRUE(groups);
  const std::string own = "mount/system.slice/agentbox.service/";
  EXPECT_EQ(content(own + "box/cgroup.procs"), std::to_string(::getpid()));
  EXPECT_EQ(content(own + "cgroup.subtree_control"), "+memory +pids +cpu");
  const int procs = groups->prepare("a", {.memory_bytes = 1 << 20, .processes = 64, .cores = 1.5});
  EXPECT_GE(procs, 0);
  ::close(procs);
  EXPECT_EQ(content(own + "a/memory.max"), "1048576");
  EXPECT_EQ(content(own + "a/pids.max"), "64");
  EXPECT_EQ(content(own + "a/cpu.max"), "150000 100000");
}

TEST_F(CgroupTree, LeavesOthersAlone) {
  EXPECT_FALSE(take()) << "no version 2";
  delegated("cpu pids\n");
  EXPECT_FALSE(take()) << "memory cannot be limited";
  EXPECT_EQ(content("mount/system.slice/agentbox.service/box/cgroup.procs"), "");
}

}  // namespace cgroup_test
}  // namespace sandbox
