#include "appliance/foundation/disk_reserve.h"

#include <gtest/gtest.h>
#include <sys/statvfs.h>

#include "tests/support/temporary_folder.h"

namespace agentbox {
namespace disk_reserve_test {

std::uint64_t size_of_disk(const std::filesystem::path& folder) {
  struct statvfs found {};
  ::statvfs(folder.c_str(), &found);
  return std::uint64_t(found.f_blocks) * found.f_frsize;
}

TEST(DiskReserve, IsAShareOfTheDiskUnlessItIsChosen) {
  const test_support::TemporaryFolder folder;
  const auto size = size_of_disk(folder.path());
  const DiskReserve automatic(folder.path(), "auto");
  EXPECT_GT(automatic.bytes(), 0u);
  EXPECT_LE(automatic.bytes(), size / 10);
  EXPECT_EQ(DiskReserve(folder.path(), "3M").bytes(), 3u << 20);
}

TEST(DiskReserve, RefusesWhatGoesBelow) {
  const test_support::TemporaryFolder folder;
  const DiskReserve reserve(folder.path(), "1M");
  ASSERT_TRUE(reserve.admit(1));
  const auto refused = reserve.admit(size_of_disk(folder.path()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, web::Kind::unavailable);
  EXPECT_EQ(refused.error().code, "DISK_RESERVE_REACHED");
  const auto whole = DiskReserve::admit_to(folder.path(), size_of_disk(folder.path()), 0);
  EXPECT_FALSE(whole) << "also a single byte";
  EXPECT_TRUE(DiskReserve::admit_to(folder.path(), 0, 1)) << "no reserve";
}

}  // namespace disk_reserve_test
}  // namespace agentbox
