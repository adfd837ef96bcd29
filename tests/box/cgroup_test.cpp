#include "appliance/box/health/cgroup.h"

#include <gtest/gtest.h>

#include <fstream>

#include "appliance/box/health/host_load.h"
#include "tests/support/temporary_folder.h"

namespace cgroup_test {

using health::Cgroup;

// A tree of control groups as in the kernel's file system.
class CgroupTree : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    const auto file = folder.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  Cgroup cgroup() const { return Cgroup(folder.path() / "fs", folder.path() / "self"); }

  test_support::TemporaryFolder folder;
};

TEST_F(CgroupTree, HasNoLimitsWithoutAnySet) {
  EXPECT_FALSE(cgroup().memory());
  EXPECT_FALSE(cgroup().cpu());
  write("fs/cgroup.controllers", "cpu memory");
  write("self", "0::/");
  write("fs/memory.max", "max");
  write("fs/memory.current", "4096");
  write("fs/cpu.max", "max 100000");
  EXPECT_FALSE(cgroup().memory());
  EXPECT_FALSE(cgroup().cpu());
}

TEST_F(CgroupTree, TheTightestLimitOnTheWayUpCounts) {
  write("fs/cgroup.controllers", "cpu memory");
  write("self", "0::/box.slice/box.service");
  write("fs/box.slice/box.service/memory.max", "1000000");
  write("fs/box.slice/box.service/memory.current", "300000");
  write("fs/box.slice/memory.max", "500000");
  write("fs/box.slice/memory.current", "400000");
  write("fs/box.slice/memory.stat", "anon 1\ninactive_file 100000\nfile 7");
  write("fs/box.slice/box.service/cpu.max", "50000 100000");
  write("fs/box.slice/box.service/cpu.stat", "usage_usec 1234\nuser_usec 1000");
  const auto memory = cgroup().memory();
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->limit, 500'000u);
  EXPECT_EQ(memory->used, 300'000u) << "what the page cache can give back is not used";
  const auto cpu = cgroup().cpu();
  ASSERT_TRUE(cpu);
  EXPECT_EQ(cpu->cores, 0.5);
  EXPECT_EQ(cpu->used.count(), 1234);
}

TEST_F(CgroupTree, APathThatTheMountDoesNotHaveIsTheMountItself) {
  write("fs/cgroup.controllers", "memory");
  write("self", "0::/system.slice/docker-c0ffee.scope");
  write("fs/memory.max", "700000");
  write("fs/memory.current", "1000");
  EXPECT_EQ(cgroup().memory().value().limit, 700'000u);
}

TEST_F(CgroupTree, TheFirstVersionHasAFolderForEachController) {
  write("self", "5:cpu,cpuacct:/box\n4:memory:/box");
  write("fs/memory/box/memory.limit_in_bytes", "600000");
  write("fs/memory/box/memory.usage_in_bytes", "200000");
  write("fs/memory/memory.limit_in_bytes", "9223372036854771712");
  write("fs/memory/memory.usage_in_bytes", "1");
  write("fs/cpu/box/cpu.cfs_quota_us", "150000");
  write("fs/cpu/box/cpu.cfs_period_us", "100000");
  write("fs/cpu/box/cpuacct.usage", "2000000");
  EXPECT_EQ(cgroup().memory().value().limit, 600'000u);
  EXPECT_EQ(cgroup().memory().value().used, 200'000u);
  EXPECT_EQ(cgroup().cpu().value().cores, 1.5);
  EXPECT_EQ(cgroup().cpu().value().used.count(), 2000);
}

TEST_F(CgroupTree, TheMeterMeasuresTheShareInsteadOfTheMachine) {
  write("fs/cgroup.controllers", "cpu memory");
  write("self", "0::/box");
  write("fs/box/memory.max", "1000000");
  write("fs/box/memory.current", "900000");
  health::HostMeter meter(cgroup());
  const auto load = meter.read();
  EXPECT_EQ(load.memory_total, 1'000'000u);
  EXPECT_EQ(load.memory_used, 900'000u);
  EXPECT_EQ(load.memory_percent, 90);
  EXPECT_EQ(health::verdict(load), "unhealthy");
}

}  // namespace cgroup_test
