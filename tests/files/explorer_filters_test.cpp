// Content that git converts on its way into the repository by means that the box does not have: it is never committed
// as it stands.
#include "tests/files/explorer_fixture.h"

namespace explorer_filters_test {

using namespace explorer_tests;
using testing::HasSubstr;

class ExplorerFilters : public ExplorerTest {
 protected:
  ExplorerFilters() {
    git({"init", "-q"});
    git({"config", "filter.up.clean", "tr a-z A-Z"});
    git({"config", "filter.up.smudge", "tr A-Z a-z"});
    put(root / ".gitattributes", "*.up filter=up\n");
    put(root / "a.up", "stored large\n");
    put(root / "plain", "plain\n");
    commit("First");
    settle();
  }
  web::Result<explorer::SyncResult> sync() const { return repositories().sync(place, "From the box"); }
  void expect_refused(const std::string& file, const std::string& conversion) const {
    const auto before = git({"rev-parse", "HEAD"}) + git({"ls-files", "-s"});
    const auto refused = sync();
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr(file + " goes through " + conversion));
    EXPECT_THAT(refused.error().message, HasSubstr("with git"));
    EXPECT_EQ(git({"rev-parse", "HEAD"}) + git({"ls-files", "-s"}), before) << "nothing staged, nothing committed";
  }
};

TEST_F(ExplorerFilters, UnchangedFilteredFilesDoNotPreventACommit) {
  put(root / "plain", "changed\n");
  expect_as_git();
  EXPECT_TRUE(sync()->hash);
  EXPECT_EQ(git({"show", "HEAD:a.up"}), "STORED LARGE\n");
}

TEST_F(ExplorerFilters, ChangedAndNewFilteredFilesAreNotCommittedUnfiltered) {
  put(root / "plain", "changed\n");
  put(root / "a.up", "changed\n");
  expect_refused("a.up", "the filter up");
  git({"checkout", "-q", "a.up"});
  settle();
  put(root / "folder/new.up", "new\n");
  expect_refused("folder/new.up", "the filter up");
  git({"config", "--remove-section", "filter.up"});
  expect_refused("folder/new.up", "the filter up");
}

TEST_F(ExplorerFilters, StagedAndDeletedFilteredFilesAreCommitted) {
  put(root / "a.up", "changed\n");
  git({"add", "a.up"});
  settle();
  ASSERT_TRUE(sync()->hash);
  EXPECT_EQ(git({"show", "HEAD:a.up"}), "CHANGED\n");
  fs::remove(root / "a.up");
  ASSERT_TRUE(sync()->hash);
  fs::create_symlink("plain", root / "link.up");
  ASSERT_TRUE(sync()->hash) << "git filters no links";
  EXPECT_EQ(git({"ls-tree", "--name-only", "HEAD"}), ".gitattributes\nlink.up\nplain\n");
}

TEST_F(ExplorerFilters, MacrosAndEncodingsAreFilters) {
  put(root / ".gitattributes",
      "[attr]large filter=lfs\n*.bin large\n*.txt working-tree-encoding=UTF-16\n"
      "*.md working-tree-encoding=utf-8\n*.raw -filter\n");
  put(root / "a.md", "x\n");
  put(root / "a.raw", "x\n");
  ASSERT_TRUE(sync()->hash);
  put(root / "a.bin", "x\n");
  expect_refused("a.bin", "the filter lfs");
  fs::remove(root / "a.bin");
  put(root / "a.txt", std::string("\xff\xfex\0", 4));
  expect_refused("a.txt", "the working-tree-encoding UTF-16");
}

}  // namespace explorer_filters_test
