// Files that git does not look at, because a sparse checkout leaves them out or somebody said that they do not change:
// that they are not there is no change.
#include "tests/files/explorer_fixture.h"

namespace explorer_sparse_test {

using namespace explorer_tests;
using testing::Contains;
using testing::IsEmpty;

class ExplorerSparse : public ExplorerTest {
 protected:
  ExplorerSparse() {
    git({"init", "-q"});
    for (const auto* name : {"a/f", "b/f", "b/deep/g", "c/f"}) put(root / name, std::string(name) + "\n");
    commit("First");
  }
  explorer::Diffs diff() const { return repositories().diff(place, "").value(); }
  void expect_diffs_as_git() const {
    EXPECT_EQ(diff().unstaged, git({"diff"}));
    EXPECT_EQ(diff().staged, git({"diff", "--cached"}));
  }
  explorer::SyncResult sync() const { return repositories().sync(place, "From the box").value(); }
};

TEST_F(ExplorerSparse, SkippedFilesAreNotDeleted) {
  git({"sparse-checkout", "set", "a"});
  ASSERT_FALSE(fs::exists(root / "b"));
  expect_as_git();
  EXPECT_THAT(lines(status()), IsEmpty());
  expect_diffs_as_git();
  EXPECT_FALSE(sync().hash);
  EXPECT_EQ(git({"status", "--porcelain"}), "");
}

TEST_F(ExplorerSparse, ACommitKeepsSkippedFiles) {
  git({"sparse-checkout", "set", "a"});
  put(root / "a/f", "changed\n");
  put(root / "a/new", "new\n");
  expect_as_git();
  expect_diffs_as_git();
  ASSERT_TRUE(sync().hash);
  EXPECT_EQ(git({"status", "--porcelain"}), "");
  EXPECT_EQ(git({"show", "--format=", "--name-status"}), "M\ta/f\nA\ta/new\n");
  EXPECT_EQ(git({"show", "HEAD:b/deep/g"}), "b/deep/g\n");
  EXPECT_EQ(git({"ls-files", "-t", "b", "c"}), "S b/deep/g\nS b/f\nS c/f\n") << "and they stay left out";
}

TEST_F(ExplorerSparse, SkippedFilesThatExistAreCompared) {
  git({"sparse-checkout", "set", "a"});
  put(root / "b/f", "somebody put it here\n");
  expect_as_git();
  EXPECT_THAT(lines(status()), Contains(" M b/f"));
  expect_diffs_as_git();
  fs::remove(root / "b/f");
  expect_as_git();
  git({"sparse-checkout", "reapply"});
  git({"config", "sparse.expectFilesOutsideOfPatterns", "true"});
  put(root / "b/f", "it is expected\n");
  expect_as_git();
  EXPECT_FALSE(sync().hash);
}

// One box keeps its repositories open from one look to the next.
TEST_F(ExplorerSparse, AppearingAndDisappearingFilesAreSeen) {
  git({"config", "core.sparseCheckout", "true"});
  git({"update-index", "--skip-worktree", "b/f"});
  auto box = repositories();
  for (int round = 0; round < 3; ++round) {
    put(root / "b/f", "changed\n");
    EXPECT_EQ(lines(**box.status(place)), lines_of_git(root));
    fs::remove(root / "b/f");
    EXPECT_EQ(lines(**box.status(place)), lines_of_git(root));
  }
}

TEST_F(ExplorerSparse, ASkippedFileIsSkippedWhateverReplacesIt) {
  git({"update-index", "--skip-worktree", "b/f"});
  put(root / "b/f", "mine alone\n");
  expect_as_git();
  expect_diffs_as_git();
  EXPECT_FALSE(sync().hash);
  fs::remove(root / "b/f");
  expect_as_git();
  expect_diffs_as_git();
  EXPECT_FALSE(sync().hash);
}

TEST_F(ExplorerSparse, FilesAssumedUnchangedAreUnchanged) {
  git({"update-index", "--assume-unchanged", "b/f", "c/f"});
  put(root / "b/f", "changed\n");
  fs::remove(root / "c/f");
  put(root / "a/f", "changed\n");
  expect_as_git();
  expect_diffs_as_git();
  ASSERT_TRUE(sync().hash);
  EXPECT_EQ(git({"show", "--format=", "--name-status"}), "M\ta/f\n");
}

}  // namespace explorer_sparse_test
