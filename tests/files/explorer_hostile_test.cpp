// Repositories whose owner works against the box that reads them.
#include <atomic>
#include <thread>

#include "tests/files/explorer_fixture.h"

namespace explorer_hostile_test {

using namespace explorer_tests;
using testing::HasSubstr;

class ExplorerHostile : public ExplorerTest {
 protected:
  ExplorerHostile() { make_repository(); }
};

TEST_F(ExplorerHostile, FilesThatBecomeShorterWhileTheyAreReadDoNotEndTheBox) {
  const std::string text = [] {
    std::string lines;
    for (int line = 0; lines.size() < (3u << 20); ++line) lines += "line " + std::to_string(line) + "\n";
    return lines;
  }();
  put(root / "large", text);
  commit("Large");
  std::atomic<bool> is_done{false};
  std::thread owner([&] {
    for (int turn = 0; !is_done; ++turn) {
      put(root / "large", text + std::to_string(turn) + "\n");
      fs::resize_file(root / "large", 10);
    }
  });
  for (int i = 0; i < 40; ++i) static_cast<void>(repositories().diff(place, ""));
  is_done = true;
  owner.join();
  put(root / "large", text);
  const auto differences = repositories().diff(place, "");
  ASSERT_TRUE(differences);
  EXPECT_EQ(differences->unstaged, "");
}

TEST_F(ExplorerHostile, ACommitThatUnpacksToMoreThanTheBoxWantsIsNotRead) {
  auto id =
      run_git(root, {"hash-object", "-t", "commit", "--literally", "-w", "--stdin"}, std::string(70u << 20, 'a')).out;
  put(root / ".git/refs/heads/main", id);
  const auto log = repositories().log(place, 10);
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().message, HasSubstr("larger than 64 MB"));
}

TEST_F(ExplorerHostile, ASettingsFileOfHolesIsNotRead) {
  fs::resize_file(root / ".git/config", std::uintmax_t{20} << 30);
  const auto status = repositories().status(place);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr(".git/config is too large"));
}

}  // namespace explorer_hostile_test
