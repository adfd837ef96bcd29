// A repository that stays open between requests shows what is there now, whatever was done to it meanwhile.
#include <future>

#include "tests/files/explorer_fixture.h"

namespace explorer_repository_pool_test {

using namespace explorer_tests;
using testing::HasSubstr;
using testing::IsEmpty;

class ExplorerRepositoryPool : public ExplorerTest {
 protected:
  ExplorerRepositoryPool() { make_repository(); }

  explorer::Status status() { return box.status(place).value().value(); }
  std::string changes() {
    std::string text;
    for (const auto& change : status().changes.list)
      text += std::string{change.index, change.files, ' '} + change.path + "\n";
    return text;
  }
  void expect_as_git() {
    const auto ours = changes();
    EXPECT_EQ(ours, git({"status", "--porcelain"}));
  }

  explorer::Repositories box = repositories();
};

TEST_F(ExplorerRepositoryPool, ChangesByGitBetweenRequestsAreSeen) {
  EXPECT_EQ(changes(), "");
  put(root / "new", "x");
  expect_as_git();
  git({"add", "new"});
  expect_as_git();
  commit("Second");
  expect_as_git();
  EXPECT_EQ(box.log(place, 1)->front().subject, "Second");
  put(root / "noise.log", "x");
  expect_as_git();
  put(root / ".gitignore", "*.log\n");
  expect_as_git();
  put(root / ".git/info/exclude", ".gitignore\n");
  expect_as_git();
  git({"checkout", "-q", "-b", "topic"});
  EXPECT_EQ(status().branch, "topic");
  git({"gc", "-q", "--prune=now"});
  EXPECT_EQ(box.log(place, 10)->size(), 2u);
  commit("After a gc");
  git({"repack", "-adq"});
  EXPECT_EQ(box.log(place, 1)->front().subject, "After a gc");
  EXPECT_TRUE(box.show(place, "HEAD", ""));
  expect_as_git();
}

TEST_F(ExplorerRepositoryPool, AChangedConfigurationApplies) {
  put(root / "lines", "a\nb\n");
  commit("Lines");
  put(root / "lines", "a\r\nb\r\n");
  EXPECT_EQ(changes(), " M lines\n");
  EXPECT_THAT(box.diff(place, "")->unstaged, HasSubstr("\r"));
  git({"config", "core.autocrlf", "input"});
  EXPECT_THAT(box.diff(place, "")->unstaged, IsEmpty());
  git({"config", "core.autocrlf", "false"});
  EXPECT_THAT(box.diff(place, "")->unstaged, HasSubstr("\r"));
  put(root / ".git/more", "[core]\n\tautocrlf = false\n");
  git({"config", "include.path", "more"});
  EXPECT_THAT(box.diff(place, "")->unstaged, HasSubstr("\r"));
  put(root / ".git/more", "[core]\n\tautocrlf = input\n");
  EXPECT_THAT(box.diff(place, "")->unstaged, IsEmpty()) << "also where it stands in another file";
  git({"remote", "add", "origin", "https://user:secret@example.org/x.git"});
  EXPECT_EQ(status().remote, "https://example.org/x.git");
}

TEST_F(ExplorerRepositoryPool, ARepositoryThatReplacesAnotherIsShown) {
  EXPECT_EQ(status().branch, "main");
  fs::rename(root / ".git", scratch.path() / "old.git");
  EXPECT_FALSE(box.status(place)->has_value());
  git({"init", "-q", "-b", "fresh"});
  EXPECT_EQ(status().branch, "fresh");
  EXPECT_THAT(box.log(place, 1).value(), IsEmpty());
  fs::remove_all(root / ".git");
  fs::rename(scratch.path() / "old.git", root / ".git");
  EXPECT_EQ(status().branch, "main");
  EXPECT_EQ(changes(), "");
}

TEST_F(ExplorerRepositoryPool, ARepositoryGivenToAnotherOwnerIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a repository away";
  EXPECT_EQ(changes(), "");
  ASSERT_EQ(::chown((root / ".git").c_str(), 54'321, 54'321), 0);
  EXPECT_THAT(box.status(place).error().message, HasSubstr("another user"));
}

TEST_F(ExplorerRepositoryPool, AFailureIsNotCached) {
  EXPECT_EQ(changes(), "");
  const auto index = content_of(root / ".git/index");
  put(root / ".git/index", "nonsense");
  EXPECT_FALSE(box.status(place));
  put(root / ".git/index", index);
  EXPECT_EQ(changes(), "");
}

TEST_F(ExplorerRepositoryPool, ConcurrentReadersAreServed) {
  std::vector<std::future<void>> lookers;
  for (int i = 0; i < 6; ++i) {
    lookers.push_back(std::async(std::launch::async, [&] {
      for (int round = 0; round < 10; ++round) {
        EXPECT_TRUE(box.status(place));
        EXPECT_TRUE(box.diff(place, ""));
        EXPECT_TRUE(box.log(place, 5));
      }
    }));
  }
  for (int round = 0; round < 5; ++round) {
    put(root / "a.txt", std::to_string(round));
    commit("Round " + std::to_string(round));
  }
  for (auto& looker : lookers) looker.get();
  expect_as_git();
}

}  // namespace explorer_repository_pool_test
