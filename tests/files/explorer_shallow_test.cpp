// Clones without all of the history: it ends where git says that it ends.
#include "tests/files/explorer_fixture.h"

namespace explorer_shallow_test {

using namespace explorer_tests;
using testing::HasSubstr;
using testing::IsEmpty;

class ExplorerShallow : public ExplorerTest {
 protected:
  ExplorerShallow() {
    make_repository();
    for (int i = 0; i < 5; ++i) {
      put(root / "a.txt", "version " + std::to_string(i) + "\n");
      commit("Commit " + std::to_string(i));
    }
    const auto bare = make_bare("remote.git");
    git({"push", "-q", bare.string(), "main"});
    git(scratch.path(),
        {"clone", "-q", "--depth", "2", "-b", "main", "file://" + bare.string(), clone.folder.string()});
  }
  std::string listed(std::size_t limit) const {
    std::string text;
    for (const auto& commit : repositories().log(clone, limit).value())
      text += commit.hash + " " + commit.subject + "\n";
    return text;
  }
  std::string line(std::vector<std::string> arguments) const {
    auto out = git(clone.folder, std::move(arguments));
    out.pop_back();
    return out;
  }

  explorer::Place clone{.folder = scratch.path() / "owner" / "clone"};
};

TEST_F(ExplorerShallow, TheLogEndsAtTheDepthOfTheClone) {
  for (const std::size_t limit : {1, 2, 3, 100}) {
    EXPECT_EQ(listed(limit), git(clone.folder, {"log", "-" + std::to_string(limit), "--format=%H %s"})) << limit;
  }
  git(clone.folder, {"fetch", "-q", "--unshallow"});
  EXPECT_EQ(listed(100), git(clone.folder, {"log", "--format=%H %s"})) << "it is whole now";
}

TEST_F(ExplorerShallow, TheOldestCommitAddsEveryFile) {
  for (const auto* revision : {"HEAD", "HEAD~1"}) {
    const auto shown = repositories().show(clone, line({"rev-parse", revision}), "");
    ASSERT_TRUE(shown) << shown.error().message;
    EXPECT_EQ(shown->patch, git(clone.folder, {"show", "--format=", revision})) << revision;
  }
  EXPECT_THAT(repositories().show(clone, line({"rev-parse", "HEAD~1"}), "")->parents, IsEmpty());
}

TEST_F(ExplorerShallow, StatusMatchesGitAndCommitsWork) {
  put(clone.folder / "a.txt", "changed\n");
  EXPECT_EQ(lines(status(clone)), lines_of_git(clone.folder));
  auto box = repositories();
  const auto synced = box.sync(clone, "From the box");
  ASSERT_TRUE(synced) << synced.error().message;
  EXPECT_TRUE(synced->hash);
  EXPECT_THAT(synced->message, testing::AllOf(HasSubstr("too shallow"), HasSubstr("git fetch --unshallow")));
  EXPECT_EQ(listed(100), git(clone.folder, {"log", "--format=%H %s"}));
  git(clone.folder, {"fetch", "-q", "--unshallow"});
  put(clone.folder / "a.txt", "changed again\n");
  EXPECT_TRUE(box.sync(clone, "From the box")->is_pushed);
}

TEST_F(ExplorerShallow, AShallowCloneCanBePushed) {
  for (int i = 0; i < 12; ++i) {
    const auto date = std::to_string(1'600'000'000 + i * 60) + " +0000";
    git({"-c", "alias.dated=!GIT_COMMITTER_DATE='" + date + "' git commit -q --allow-empty -m Dated", "dated"});
  }
  git({"push", "-q", (scratch.path() / "remote.git").string(), "main"});
  git(clone.folder, {"fetch", "-q", "--depth", "8"});
  git(clone.folder, {"reset", "-q", "--hard", "origin/main"});
  put(clone.folder / "a.txt", "changed\n");
  const auto synced = repositories().sync(clone, "From the box");
  EXPECT_EQ(synced->message, "Committed and pushed to origin/main");
  EXPECT_EQ(git(scratch.path() / "remote.git", {"rev-parse", "main"}), *synced->hash + "\n");
  git(clone.folder, {"checkout", "-q", "-b", "topic"});
  put(clone.folder / "a.txt", "changed again\n");
  EXPECT_EQ(repositories().sync(clone, "From the box")->message, "Committed and pushed to origin/topic");
}

}  // namespace explorer_shallow_test
