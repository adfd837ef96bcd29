// What changed, compared with what git itself says, in every situation a repository can be in.
#include <random>

#include "tests/files/explorer_fixture.h"

namespace explorer_status_test {

using namespace explorer_tests;
using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

using ExplorerStatus = ExplorerTest;

TEST_F(ExplorerStatus, AFolderBelowARepositoryIsNoRepository) {
  EXPECT_FALSE(repositories().status(place)->has_value());
  make_repository();
  EXPECT_TRUE(repositories().status(place)->has_value());
  const explorer::Place below{.folder = root / "folder"};
  EXPECT_FALSE(repositories().status(below)->has_value()) << "a repository above the root is not ours to show";
  EXPECT_EQ(repositories().log(below, 1).error().kind, web::Kind::internal);
  EXPECT_THAT(repositories().diff(below, "").error().message, HasSubstr("not a git repository"));
}

TEST_F(ExplorerStatus, EveryKindOfChangeIsReported) {
  make_repository();
  for (const auto* name : {"changed", "staged", "both", "gone", "gone staged", "kept", "renamed", "ignored later"}) {
    put(root / name, std::string("content of ") + name + "\n1\n2\n3\n4\n5\n");
  }
  fs::create_symlink("kept", root / "link");
  put(root / ".gitignore", "*.log\n");
  commit("Second");
  put(root / "changed", "x");
  put(root / "staged", "x");
  put(root / "both", "x");
  put(root / "staged new", "x");
  git({"add", "staged", "both", "staged new"});
  put(root / "both", "y");
  fs::remove(root / "gone");
  git({"rm", "-q", "gone staged"});
  git({"mv", "renamed", "moved"});
  git({"rm", "-q", "--cached", "ignored later"});
  fs::remove(root / "link");
  put(root / "link", "now a file");
  put(root / "new", "x");
  put(root / "new folder/x", "x");
  put(root / "new folder/deep/y", "y");
  put(root / "folder/new", "x");
  put(root / "noise.log", "x");
  put(root / "logs/noise.log", "x");
  put(root / "Gr\u00fc\u00dfe \"quoted\"", "x");
  fs::permissions(root / "kept", fs::perms(0755));
  expect_as_git();
  EXPECT_THAT(lines(status()), Contains("R  moved"));
}

TEST_F(ExplorerStatus, NewFilesBesideUnchangedOnesAreReported) {
  make_repository();
  put(root / "outer/inner/kept", "x");
  commit("Second");
  settle();
  put(root / "folder/new", "x");
  put(root / "outer/new", "x");
  put(root / "outer/new folder/x", "x");
  expect_as_git();
  EXPECT_THAT(lines(status()), ElementsAre("?? folder/new", "?? outer/new", "?? outer/new folder/"));
}

TEST_F(ExplorerStatus, RandomChangesAreReportedAsByGit) {
  make_repository();
  std::mt19937 random(7);
  const std::vector<std::string> names{"a.txt", "b", "folder/b.txt", "folder/c", "deep/er/d", "e"};
  for (int round = 0; round < 80; ++round) {
    const auto& name = names[random() % names.size()];
    switch (random() % 7) {
      case 0:
      case 1:
        put(root / name, "content " + std::to_string(round) + "\n");
        break;
      case 2:
        fs::remove(root / name);
        break;
      case 3:
        run_git(root, {"add", "-A", "--", name});
        break;
      case 4:
        run_git(root, {"rm", "-q", "--cached", "--", name});
        break;
      case 5:
        settle();
        break;
      default:
        if (random() % 4 == 0) run_git(root, {"commit", "-q", "-m", "round"});
    }
    const auto ours = lines(status());  // before git has had a look, which may mend its index
    ASSERT_THAT(ours, ElementsAreArray(lines_of_git(root))) << "round " << round;
  }
}

TEST_F(ExplorerStatus, FilesAddedByIntentAreNewAndNotStaged) {
  make_repository();
  put(root / "announced", "x");
  put(root / "gone", "x");
  git({"add", "-N", "announced", "gone"});
  fs::remove(root / "gone");
  expect_as_git();
  put(root / "gone", "");
  expect_as_git();
  git({"rm", "-q", "--cached", "a.txt"});
  git({"add", "-N", "a.txt"});
  expect_as_git();
}

TEST_F(ExplorerStatus, ATruncatedListSaysSo) {
  make_repository();
  for (std::size_t i = 0; i < explorer::max_changes; ++i) put(root / std::to_string(i), "");
  EXPECT_EQ(status().changes.list.size(), explorer::max_changes);
  EXPECT_FALSE(status().changes.is_truncated);
  put(root / "one more", "");
  EXPECT_EQ(status().changes.list.size(), explorer::max_changes);
  EXPECT_TRUE(status().changes.is_truncated);
}

TEST_F(ExplorerStatus, AnUnbornBranchHasANameAndNoHistory) {
  git({"init", "-q", "-b", "trunk"});
  put(root / "a", "x");
  EXPECT_EQ(status().branch, "trunk");
  expect_as_git();
  git({"add", "a"});
  expect_as_git();
  EXPECT_THAT(*repositories().log(place, 10), IsEmpty());
}

TEST_F(ExplorerStatus, ADetachedHeadIsHead) {
  make_repository();
  commit("Second");
  git({"checkout", "-q", "--detach", "HEAD~1"});
  EXPECT_EQ(status().branch, "HEAD");
  EXPECT_EQ(repositories().log(place, 10)->size(), 1u);
}

TEST_F(ExplorerStatus, EveryKindOfConflictIsReported) {
  make_repository();
  for (const auto* name : {"edited by both", "deleted by us", "deleted by them", "renamed"})
    put(root / name, std::string(name) + "\n");
  commit("Base");
  git({"checkout", "-q", "-b", "other"});
  put(root / "edited by both", "theirs\n");
  put(root / "deleted by us", "theirs\n");
  put(root / "added by both", "theirs\n");
  fs::remove(root / "deleted by them");
  git({"mv", "renamed", "renamed by them"});
  commit("Theirs");
  git({"checkout", "-q", "main"});
  put(root / "edited by both", "ours\n");
  put(root / "deleted by them", "ours\n");
  put(root / "added by both", "ours\n");
  fs::remove(root / "deleted by us");
  git({"mv", "renamed", "renamed by us"});
  commit("Ours");
  EXPECT_NE(run_git(root, {"merge", "other"}).code, 0);
  expect_as_git();
  const auto told = lines(status());
  for (const auto* line : {"UU edited by both", "AA added by both", "DU deleted by us", "UD deleted by them",
                           "DD renamed", "UA renamed by them", "AU renamed by us"}) {
    EXPECT_THAT(told, Contains(line));
  }
}

TEST_F(ExplorerStatus, SubmodulesAreReportedAsByGit) {
  const auto library = scratch.path() / "library";
  fs::create_directories(library);
  git(library, {"init", "-q"});
  put(library / "l.txt", "1");
  git(library, {"add", "-A"});
  git(library, {"commit", "-q", "-m", "Library"});
  make_repository();
  git({"submodule", "add", "-q", library.string(), "library"});
  expect_as_git();
  commit("With a library");
  expect_as_git();
  put(root / "library/l.txt", "changed");
  expect_as_git();
  git(root / "library", {"commit", "-q", "-a", "-m", "Moved on"});
  expect_as_git();
}

TEST_F(ExplorerStatus, LineEndsAreComparedAsGitComparesThem) {
  make_repository();
  put(root / ".gitattributes", "*.txt text eol=crlf\n*.id ident\n");
  put(root / "crlf.txt", "one\r\ntwo\r\n");
  put(root / "a.id", "$Id$\n");
  commit("Attributes");
  expect_as_git();
  put(root / "crlf.txt", "one\ntwo\n");
  expect_as_git();
  git({"config", "core.autocrlf", "input"});
  put(root / "plain", "one\r\n");
  expect_as_git();
}

TEST_F(ExplorerStatus, TheRemoteIsShownWithoutItsPassword) {
  make_repository();
  EXPECT_FALSE(status().remote);
  git({"remote", "add", "origin", "https://user:hunter2@git.example.org/x.git"});
  EXPECT_EQ(status().remote, "https://git.example.org/x.git");
  git({"remote", "set-url", "origin", "git@git.example.org:x.git"});
  EXPECT_EQ(status().remote, "git@git.example.org:x.git");
}

// libgit2 would allocate memory for each of them, and compute for minutes.
TEST_F(ExplorerStatus, AnIndexWithTooHighAnEntryCountIsRefused) {
  make_repository();
  auto box = repositories();
  ASSERT_TRUE(box.status(place));
  put(root / ".git/index", std::string("DIRC\0\0\0\x04\x2c\x21\xef\0", 12) + std::string(100, '\0'));
  for (const auto& where : {place, workspace}) {
    EXPECT_THAT(box.status(where).error().message, HasSubstr("index"));
    EXPECT_THAT(box.diff(where, "").error().message, HasSubstr("index"));
    EXPECT_THAT(box.sync(where, "x").error().message, HasSubstr("index"));
  }
}

TEST_F(ExplorerStatus, TheErrorOfADamagedRepositoryNamesTheDamage) {
  make_repository();
  put(root / ".git/index", "not an index");
  const auto index = repositories().status(place).error();
  EXPECT_EQ(index.kind, web::Kind::internal);
  EXPECT_THAT(index.message, HasSubstr("index"));
  fs::remove(root / ".git/index");
  git({"reset", "-q", "--hard"});
  put(root / ".git/config", "[core\nbroken");
  EXPECT_EQ(repositories().status(place).error().kind, web::Kind::internal);
}

TEST_F(ExplorerStatus, APipeInPlaceOfAFileIsNotWaitedFor) {
  for (const auto* name : {".gitignore", ".gitattributes", "folder/.gitignore", "a.txt", ".gitmodules",
                           ".git/info/exclude", ".git/info/attributes", ".git/index", ".git/packed-refs",
                           ".git/refs/heads/main", ".git/config", ".git/HEAD", ".git/objects/info/alternates"}) {
    fs::remove_all(root);
    fs::create_directories(root);
    make_repository();
    fs::remove(root / name);
    ASSERT_EQ(::mkfifo((root / name).c_str(), 0644), 0);
    for (const auto& where : {place, workspace}) {
      auto box = repositories();
      static_cast<void>(box.status(where));
      static_cast<void>(box.diff(where, ""));
      static_cast<void>(box.log(where, 10));
      static_cast<void>(box.sync(where, "x"));
    }
  }
  fs::remove_all(root);
  fs::create_directories(root);
  make_repository();
  ASSERT_EQ(::mkfifo((root / "pipe").c_str(), 0644), 0);
  expect_as_git();
}

TEST_F(ExplorerStatus, ARepositoryOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a repository away";
  make_repository();
  ASSERT_EQ(::chown((root / ".git").c_str(), 54'321, 54'321), 0);
  EXPECT_THAT(repositories().status(place).error().message, HasSubstr("another user"));
}

}  // namespace explorer_status_test
