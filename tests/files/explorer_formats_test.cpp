// Repositories as git leaves them: clones within clones, indexes that only git reads, folders and files that change
// places.
#include "tests/files/explorer_fixture.h"

namespace explorer_formats_test {

using namespace explorer_tests;
using testing::HasSubstr;

class ExplorerFormats : public ExplorerTest {
 protected:
  ExplorerFormats() { make_repository(); }

  explorer::SyncResult sync() const {
    const auto synced = repositories().sync(place, "From the box");
    if (!synced) throw std::runtime_error(synced.error().message);
    return *synced;
  }
  void make_nested(const fs::path& folder) const {
    git(scratch.path(), {"init", "-q", folder.string()});
    put(folder / "n.txt", "nested\n");
    git(folder, {"add", "-A"});
    git(folder, {"commit", "-q", "-m", "Nested"});
  }
  // Every operation refuses the repository, by the name of what only git reads.
  void expect_refusal(const std::string& name) const {
    const auto expect_refused = [&](const auto& result) {
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().kind, web::Kind::conflict);
      EXPECT_EQ(result.error().code, explorer::unsupported_repository);
      EXPECT_THAT(result.error().message, HasSubstr(name));
    };
    expect_refused(repositories().status(place));
    expect_refused(repositories().diff(place, ""));
    expect_refused(repositories().sync(place, "From the box"));
  }
};

TEST_F(ExplorerFormats, ANestedCloneIsStagedAsALink) {
  make_nested(root / "folder/clone");
  put(root / "new.txt", "new\n");
  expect_as_git();
  ASSERT_TRUE(sync().hash);
  const auto commit = git(root / "folder/clone", {"rev-parse", "HEAD"});
  EXPECT_EQ(git({"ls-tree", "HEAD", "folder/clone"}),
            "160000 commit " + commit.substr(0, commit.size() - 1) + "\tfolder/clone\n");
  EXPECT_EQ(git({"ls-tree", "--name-only", "HEAD", "new.txt"}), "new.txt\n");
  EXPECT_EQ(git({"status", "--porcelain"}), "");
  expect_as_git();
  EXPECT_FALSE(sync().hash);

  put(root / "folder/clone/n.txt", "changed\n");
  expect_as_git();
  git(root / "folder/clone", {"commit", "-q", "-a", "-m", "Moved on"});
  expect_as_git();
  ASSERT_TRUE(sync().hash);
  EXPECT_THAT(git({"ls-tree", "HEAD", "folder/clone"}),
              HasSubstr(git(root / "folder/clone", {"rev-parse", "HEAD"}).substr(0, 40)));
}

TEST_F(ExplorerFormats, ANestedRepositoryWithoutCommitsIsRefusedByName) {
  git(scratch.path(), {"init", "-q", (root / "empty").string()});
  put(root / "empty/file", "x");
  expect_as_git();
  ASSERT_NE(run_git(root, {"add", "-A"}).code, 0) << "as git does";
  const auto synced = repositories().sync(place, "From the box");
  ASSERT_FALSE(synced);
  EXPECT_EQ(synced.error().kind, web::Kind::conflict);
  EXPECT_THAT(synced.error().message, HasSubstr("empty is a repository without commits"));
  put(root / ".gitignore", "empty\n");
  EXPECT_TRUE(sync().hash);
}

TEST_F(ExplorerFormats, ASplitIndexIsRefusedByNameUntilItIsJoined) {
  git({"update-index", "--split-index"});
  expect_refusal("core.splitIndex");
  git({"update-index", "--no-split-index"});
  expect_as_git();
}

TEST_F(ExplorerFormats, ASparseIndexIsRefusedByNameUntilItIsExpanded) {
  git({"sparse-checkout", "init", "--cone", "--sparse-index"});
  expect_refusal("index.sparse");
  git({"sparse-checkout", "reapply", "--no-sparse-index"});
  expect_as_git();
}

// git 2.40 and later write zeros with index.skipHash, which feature.manyFiles sets.
TEST_F(ExplorerFormats, AnIndexWithoutAChecksumIsRefusedByName) {
  const auto index = content_of(root / ".git/index");
  put(root / ".git/index", index.substr(0, index.size() - 20) + std::string(20, '\0'));
  expect_refusal("index.skipHash");
  put(root / ".git/index", index);
  expect_as_git();
}

TEST_F(ExplorerFormats, ARepositoryOfSha256IsRefusedByName) {
  fs::remove_all(root / ".git");
  git({"init", "-q", "--object-format=sha256"});
  commit("First");
  expect_refusal("SHA-256");
}

TEST_F(ExplorerFormats, WhatManyFilesSetsElseIsRead) {
  git({"config", "feature.manyFiles", "true"});
  git({"update-index", "--index-version", "4"});
  git({"update-index", "--untracked-cache"});
  put(root / "a.txt", "changed\n");
  put(root / "folder/new", "new\n");
  expect_as_git();
  ASSERT_TRUE(sync().hash);
  EXPECT_EQ(git({"status", "--porcelain"}), "");
}

TEST_F(ExplorerFormats, AFileInPlaceOfAFolderIsNew) {
  settle();
  fs::remove_all(root / "folder");
  put(root / "folder", "a file now\n");
  expect_as_git();
  fs::remove(root / "folder");
  fs::create_symlink("a.txt", root / "folder");
  expect_as_git();
  ASSERT_TRUE(sync().hash);
  EXPECT_EQ(git({"status", "--porcelain"}), "");
}

TEST_F(ExplorerFormats, AFolderInPlaceOfAFileIsNew) {
  settle();
  fs::remove(root / "a.txt");
  put(root / "a.txt/inside", "a folder now\n");
  // git leaves the folder out: its index has a file of that name.
  EXPECT_THAT(lines(status()), testing::ElementsAre(" D a.txt", "?? a.txt/"));
  ASSERT_TRUE(sync().hash);
  EXPECT_EQ(git({"status", "--porcelain"}), "");
}

TEST_F(ExplorerFormats, UntrackedFilesOfASubmoduleAreNoDifference) {
  make_nested(scratch.path() / "library");
  git({"submodule", "add", "-q", (scratch.path() / "library").string(), "library"});
  commit("With a library");
  put(root / "library/untracked", "x");
  const auto unstaged = [&] { return repositories().diff(place, "").value().unstaged; };
  expect_as_git();
  EXPECT_EQ(unstaged(), git({"diff"}));
  put(root / "library/n.txt", "changed\n");
  EXPECT_EQ(unstaged(), git({"diff"}));
  EXPECT_THAT(unstaged(), HasSubstr("-dirty"));
}

}  // namespace explorer_formats_test
