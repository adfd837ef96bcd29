// What an agent may store.
#include "appliance/agent/storage.h"

#include <fcntl.h>
#include <gmock/gmock.h>

#include <fstream>

#include "appliance/agent/workspace.h"
#include "tests/support/temporary_folder.h"

namespace agent_process {
namespace storage_test {

using test_support::TemporaryFolder;

void write_file(const std::filesystem::path& path, std::size_t size) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << std::string(size, 'x');
}

TEST(AgentStorage, CountsFilesApartFromHistoryAndState) {
  const TemporaryFolder folder;
  write_file(folder.path() / "a/notes.txt", 1'000);
  write_file(folder.path() / ".git/objects/x", 2'000);
  write_file(folder.path() / ".agentbox/memory.jsonl", 300);
  write_file(folder.path() / "a/.git/hidden", 40);
  std::filesystem::create_symlink("/etc", folder.path() / "link");
  const auto use = storage_use(files::Root::open(folder.path()).value());
  EXPECT_EQ(use.files, 1'000);
  EXPECT_EQ(use.all, 3'340);
  EXPECT_TRUE(is_within(use, 1'670));
  EXPECT_FALSE(is_within(use, 1'669)) << "history and state count, too";
  EXPECT_FALSE(is_within({.files = 101, .all = 101}, 100));
}

TEST(AgentStorage, CountsWhatIsHiddenInReservedBlocksAndDeepFolders) {
  const TemporaryFolder folder;
  const int file = ::open((folder.path() / "reserved").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const bool is_reserved = ::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 4 << 20) == 0;
  ::close(file);
  if (is_reserved) {
    EXPECT_GE(storage_use(files::Root::open(folder.path()).value()).all, 4 << 20);
  }
  auto deep = folder.path();
  for (int level = 0; level < 100; ++level) std::filesystem::create_directory(deep /= "d");
  write_file(deep / "film", 5'000);
  EXPECT_EQ(storage_use(files::Root::open(folder.path()).value()).files, 5'000);
}

TEST(AgentStorage, AWorkspaceRefusesWhatExceedsItsQuota) {
  const TemporaryFolder folder;
  const Workspace workspace(folder.path() / "workspace", {.quota = 1'000});
  EXPECT_TRUE(workspace.write("a.txt", std::string(600, 'a')));
  const auto refused = workspace.write("b.txt", std::string(500, 'b'));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "STORAGE_LIMIT_REACHED");
  EXPECT_FALSE(workspace.read("b.txt"));
  EXPECT_TRUE(workspace.write("a.txt", std::string(1'000, 'a'))) << "in place of what was there";
  EXPECT_TRUE(workspace.write("a.txt", "less"));
  EXPECT_TRUE(workspace.write("b.txt", std::string(500, 'b')));
}

TEST(AgentStorage, AWorkspaceLeavesTheDiskReserve) {
  const TemporaryFolder folder;
  const Workspace workspace(folder.path() / "workspace", {.disk_reserve = std::uint64_t(1) << 60});
  const auto refused = workspace.write("a.txt", "a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "DISK_RESERVE_REACHED");
}

}  // namespace storage_test
}  // namespace agent_process
