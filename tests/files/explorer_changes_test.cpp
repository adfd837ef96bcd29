// Moving and removing: within the root only, never git's own, durable, and nothing lost on the way.
#include "appliance/files/explorer/browse.h"
#include "tests/files/explorer_fixture.h"

namespace explorer_changes_test {

using namespace explorer_tests;
using explorer::move;
using explorer::remove;
using web::Kind;

class ExplorerChanges : public ExplorerTest {
 protected:
  ExplorerChanges() {
    put(scratch.path() / "owner/secret.txt", "secret");
    put(root / ".git/config", "[core]");
    put(root / ".gitmodules", "[submodule]");
    put(root / "a.txt", "a");
    put(root / "folder/b.txt", "b");
    fs::create_symlink("../secret.txt", root / "out.txt");
    fs::create_directory_symlink("..", root / "up");
    fs::create_directory_symlink(".git", root / "inside");
  }
  std::optional<Kind> moving(std::string_view from, std::string_view to, bool overwrite = false) const {
    const auto moved = move(place, from, to, overwrite);
    return moved ? std::nullopt : std::optional(moved.error().kind);
  }
  std::optional<Kind> removing(std::string_view path) const {
    const auto removed = remove(place, path);
    return removed ? std::nullopt : std::optional(removed.error().kind);
  }
};

TEST_F(ExplorerChanges, FilesAndFoldersAreMoved) {
  const auto moved = move(place, "./a.txt", "new/deep//c.txt", false);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->from, "a.txt");
  EXPECT_EQ(moved->to, "new/deep/c.txt");
  EXPECT_EQ(content_of(root / "new/deep/c.txt"), "a");
  EXPECT_FALSE(fs::exists(root / "a.txt"));
  EXPECT_EQ(moving("folder", "new/folder"), std::nullopt);
  EXPECT_EQ(content_of(root / "new/folder/b.txt"), "b");
}

TEST_F(ExplorerChanges, NothingIsReplacedWithoutOverwrite) {
  EXPECT_EQ(moving("a.txt", "folder/b.txt"), Kind::conflict);
  EXPECT_EQ(moving("a.txt", "folder", true), Kind::conflict);
  EXPECT_EQ(moving("folder", "a.txt", true), Kind::conflict);
  fs::create_directory(root / "empty");
  EXPECT_EQ(moving("folder", "empty", true), Kind::conflict) << "rename(2) would replace an empty folder";
  EXPECT_EQ(moving("a.txt", "out.txt", true), Kind::invalid);
  EXPECT_EQ(content_of(root / "folder/b.txt"), "b");
  EXPECT_EQ(moving("a.txt", "folder/b.txt", true), std::nullopt);
  EXPECT_EQ(content_of(root / "folder/b.txt"), "a");
}

TEST_F(ExplorerChanges, AFileMovedToItselfStays) {
  EXPECT_EQ(moving("a.txt", "./a.txt"), std::nullopt);
  EXPECT_EQ(moving("absent", "absent"), Kind::not_found);
  EXPECT_EQ(content_of(root / "a.txt"), "a");
}

TEST_F(ExplorerChanges, ImpossibleMovesAreRefusedBeforeFoldersAreCreated) {
  EXPECT_EQ(moving("absent", "x/y"), Kind::not_found);
  EXPECT_FALSE(fs::exists(root / "x"));
  EXPECT_EQ(moving("folder", "folder/inner"), Kind::invalid);
  EXPECT_EQ(moving("", "x"), Kind::invalid);
  EXPECT_EQ(moving("a.txt", "."), Kind::invalid);
  EXPECT_EQ(moving("a.txt", "folder/b.txt/c"), Kind::invalid);
  EXPECT_EQ(moving("out.txt", "x"), Kind::invalid);
  ASSERT_EQ(::mkfifo((root / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(moving("pipe", "x"), Kind::invalid);
  EXPECT_THAT(move(place, "a.txt", "../x", false).error().message, testing::StartsWith("to must not contain"));
  EXPECT_THAT(move(place, "/a.txt", "x", false).error().message, testing::StartsWith("from must be relative"));
}

TEST_F(ExplorerChanges, MessagesNameTheInvalidPathAndTheReason) {
  const auto words = [&](std::string_view from, std::string_view to) {
    return move(place, from, to, true).error().message;
  };
  EXPECT_THAT(words("a.txt/x", "y"), testing::StartsWith("from uses a file"));
  EXPECT_THAT(words("out.txt", "y"), testing::StartsWith("from leads through a symbolic link"));
  EXPECT_THAT(words("up/a.txt", "y"), testing::StartsWith("from leads through a symbolic link"));
  EXPECT_THAT(words("a.txt", "folder/b.txt/c"), testing::StartsWith("to uses a file"));
  EXPECT_THAT(words("a.txt", "out.txt"), testing::StartsWith("to leads through a symbolic link"));
  EXPECT_THAT(words("a.txt", "up/x"), testing::StartsWith("to leads through a symbolic link"));
  EXPECT_THAT(words("a.txt", "folder/up/x/" + std::string(300, 'x')), testing::StartsWith("to has a name"));
  EXPECT_THAT(remove(place, "up/a.txt").error().message, testing::StartsWith("path leads through a symbolic link"));
  EXPECT_THAT(explorer::write(place, "up/x", "").error().message,
              testing::StartsWith("path leads through a symbolic link"));
  EXPECT_THAT(explorer::write(place, "up/x/y", "").error().message,
              testing::StartsWith("path leads through a symbolic link"));
  EXPECT_THAT(explorer::tree(place, "up", 1).error().message,
              testing::StartsWith("path leads through a symbolic link"));
}

TEST_F(ExplorerChanges, RemovesFilesAndEmptyFolders) {
  EXPECT_EQ(removing("folder"), Kind::conflict);
  EXPECT_EQ(*remove(place, "folder//b.txt"), "folder/b.txt");
  EXPECT_EQ(removing("folder"), std::nullopt);
  EXPECT_FALSE(fs::exists(root / "folder"));
  EXPECT_EQ(removing("folder"), Kind::not_found);
  EXPECT_EQ(removing("out.txt"), Kind::invalid);
  EXPECT_EQ(removing(""), Kind::invalid);
  EXPECT_EQ(removing("a.txt/x"), Kind::invalid);
}

TEST_F(ExplorerChanges, NeitherPathMayBeGitsOrOutside) {
  const std::vector<std::string> attacks{"../secret.txt", "folder/../a.txt",
                                         "/etc/passwd",   "up/secret.txt",
                                         "inside/config", ".git",
                                         ".git/config",   ".GIT/config",
                                         ".git./config",  ".git /x",
                                         "git~1/config",  ".git::$INDEX_ALLOCATION/x",
                                         ".g\u200cit/x",  ".gitmodules",
                                         ".GitModules",   "gitmod~1",
                                         "gi7eba~1",      ".gitmodules.",
                                         "folder/.git",   "folder/.git/hooks/post-commit",
                                         "a\\b",          "a\nb",
                                         "\xff"};
  for (const auto& path : attacks) {
    EXPECT_EQ(moving(path, "gained"), Kind::invalid) << path;
    EXPECT_EQ(moving("a.txt", path, true), Kind::invalid) << path;
    EXPECT_EQ(moving("folder", path), Kind::invalid) << path;
    EXPECT_EQ(removing(path), Kind::invalid) << path;
  }
  EXPECT_EQ(content_of(scratch.path() / "owner/secret.txt"), "secret");
  EXPECT_EQ(content_of(root / ".git/config"), "[core]");
  EXPECT_EQ(content_of(root / ".gitmodules"), "[submodule]");
  EXPECT_EQ(content_of(root / "a.txt"), "a");
  EXPECT_EQ(content_of(root / "folder/b.txt"), "b");
  EXPECT_FALSE(fs::exists(root / "gained"));
}

// Somebody swaps a folder for a link to the outside all the time: nothing arrives there and nothing is taken from it.
TEST_F(ExplorerChanges, ASwapBetweenCheckAndUseGainsNothing) {
  put(scratch.path() / "outside/b.txt", "secret");
  fs::create_directory_symlink(scratch.path() / "outside", root / "swap");
  std::atomic<bool> is_done = false;
  std::thread attacker([&] {
    while (!is_done) ::renameat2(AT_FDCWD, (root / "folder").c_str(), AT_FDCWD, (root / "swap").c_str(), 2);
  });
  for (int i = 0; i < 1'000; ++i) {
    static_cast<void>(move(place, "folder/b.txt", "taken.txt", true));
    static_cast<void>(move(place, "a.txt", "folder/planted.txt", true));
    static_cast<void>(remove(place, "folder/b.txt"));
    static_cast<void>(move(place, "folder/planted.txt", "a.txt", true));
  }
  is_done = true;
  attacker.join();
  EXPECT_EQ(content_of(scratch.path() / "outside/b.txt"), "secret");
  EXPECT_FALSE(fs::exists(scratch.path() / "outside/planted.txt"));
}

}  // namespace explorer_changes_test
