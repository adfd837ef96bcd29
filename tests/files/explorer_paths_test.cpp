// Whatever the spelling, nothing outside the root is read or written, and .git is never written.
#include <random>

#include "appliance/files/explorer/browse.h"
#include "tests/files/explorer_fixture.h"

namespace explorer_paths_test {

using namespace explorer_tests;
using explorer::read;
using explorer::write;

class ExplorerPaths : public ExplorerTest {
 protected:
  ExplorerPaths() {
    put(scratch.path() / "owner/secret.txt", "secret");
    put(root / ".git/config", "[core]");
    put(root / "folder/inside.txt", "inside");
    fs::create_symlink("../secret.txt", root / "out.txt");
    fs::create_directory_symlink("..", root / "up");
    fs::create_directory_symlink("/", root / "slash");
    fs::create_directory_symlink(".git", root / "git link");
    fs::create_directory_symlink("folder", root / "inner link");
    fs::create_symlink("/proc/self/environ", root / "magic");
  }
  void expect_untouched() const {
    EXPECT_EQ(content_of(scratch.path() / "owner/secret.txt"), "secret");
    EXPECT_EQ(content_of(root / ".git/config"), "[core]");
    EXPECT_EQ(content_of(root / "folder/inside.txt"), "inside");
    EXPECT_EQ(std::distance(fs::directory_iterator(root / ".git"), fs::directory_iterator()), 1);
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path() / "owner"), fs::directory_iterator()), 2);
  }
};

TEST_F(ExplorerPaths, AttacksAreRefused) {
  const std::string deep = [] {
    std::string path = "x";
    for (int i = 0; i < 40; ++i) path = "d/" + path;
    return path;
  }();
  for (const std::string& path : {std::string("../secret.txt"),
                                  std::string("folder/../../secret.txt"),
                                  std::string("folder/../folder/inside.txt"),
                                  std::string(".."),
                                  std::string("/etc/passwd"),
                                  std::string("//etc/passwd"),
                                  (root / "folder/inside.txt").string(),
                                  std::string("folder/inside.txt\0.png", 22),
                                  std::string("..\\secret.txt"),
                                  std::string("folder\\inside.txt"),
                                  std::string("a\nb"),
                                  std::string("\xff\xfe"),
                                  std::string("\xc0\xae\xc0\xae/secret.txt"),
                                  std::string("out.txt"),
                                  std::string("up/secret.txt"),
                                  std::string("slash/etc/passwd"),
                                  std::string("git link/config"),
                                  std::string("inner link/inside.txt"),
                                  std::string("magic"),
                                  std::string(".git/config"),
                                  std::string(".GIT/config"),
                                  std::string(".git/./config"),
                                  std::string("./.git//config"),
                                  std::string(".git./config"),
                                  std::string(".git /config"),
                                  std::string(".git. . ./config"),
                                  std::string(".git::$INDEX_ALLOCATION/config"),
                                  std::string(".git:stream"),
                                  std::string("git~1/config"),
                                  std::string("GIT~12/config"),
                                  std::string(".g\u200cit/config"),
                                  std::string("\ufeff.git/config"),
                                  std::string(".git"),
                                  std::string("folder/.git/hooks/pre-commit"),
                                  std::string(".git/hooks/post-commit"),
                                  std::string(256, 'n'),
                                  deep}) {
    const auto got = read(place, path);
    EXPECT_EQ(got ? web::Kind::internal : got.error().kind, web::Kind::invalid) << path;
    const auto wrote = write(place, path, "evil");
    EXPECT_EQ(wrote ? web::Kind::internal : wrote.error().kind, web::Kind::invalid) << path;
    expect_untouched();
  }
}

TEST_F(ExplorerPaths, GitModulesIsReadButNotWritten) {
  put(root / ".gitmodules", "[submodule]");
  EXPECT_EQ(read(place, ".gitmodules")->content, "[submodule]");
  for (const auto* path : {".gitmodules", ".GitModules", ".gitmodules.", "gitmod~1", "gi7eba~1"}) {
    EXPECT_EQ(write(place, path, "evil").error().kind, web::Kind::invalid) << path;
  }
  EXPECT_EQ(content_of(root / ".gitmodules"), "[submodule]");
}

TEST_F(ExplorerPaths, NamesThatOnlyLookLikeGitAreAllowed) {
  for (const auto* path : {".github/workflow.yml", ".gitignore", ".gitattributes", "git", "git~", "git~x", "..git",
                           "...", ".git-keep", "a.git", "%2e%2e", "..%2fsecret.txt", "~", "-rf", "*", "a:b"}) {
    ASSERT_TRUE(write(place, path, path)) << path;
    EXPECT_EQ(read(place, path)->content, path);
    EXPECT_TRUE(fs::exists(root / path)) << path;
  }
  expect_untouched();
}

// The model: a path is good when its components, after dropping "" and ".", hold no "..", nothing of git's and no
// control character, and the first is no link.
struct Model {
  static constexpr std::array<std::string_view, 4> good{"folder", "inside.txt", "new", "d"};
  static constexpr std::array<std::string_view, 2> neutral{"", "."};
  static constexpr std::array<std::string_view, 9> bad{"..",   ".git",   ".GiT", ".git.", "git~1",
                                                       "a\\b", ".git:x", "\x7f", "\t"};
  static constexpr std::array<std::string_view, 5> links{"up", "slash", "magic", "git link", "out.txt"};
};

TEST_F(ExplorerPaths, RandomPathsFollowTheModel) {
  std::mt19937 random(20'260'101);
  const auto one_of = [&](const auto& names) { return std::string(names[random() % names.size()]); };
  std::size_t good = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::string path;
    fs::path meant;
    bool is_bad = false;
    const auto length = 1 + random() % 5;
    for (std::size_t i = 0; i < length; ++i) {
      if (i > 0) path += '/';
      const auto kind = random() % 10;
      if (kind == 0) {
        path += i == 0 && random() % 2 == 0 ? one_of(Model::links) : one_of(Model::bad);
        is_bad = true;
      } else if (kind < 4 && i > 0) {
        path += one_of(Model::neutral);
      } else {
        const auto name = one_of(Model::good);
        path += name;
        meant /= name;
      }
    }
    const auto wrote = write(place, path, "text");
    if (is_bad) {
      ASSERT_FALSE(wrote) << path;
    } else if (wrote) {
      ++good;
      ASSERT_EQ(*wrote, meant.string()) << path;
      ASSERT_EQ(content_of(root / meant), "text") << path;
      ASSERT_EQ(read(place, path)->content, "text") << path;
      fs::remove(root / meant);
      put(root / "folder/inside.txt", "inside");
    } else {
      // A good name that stands where a folder or a file is already, or that ends in a slash.
      ASSERT_EQ(wrote.error().kind, web::Kind::invalid) << path << ": " << wrote.error().message;
    }
  }
  EXPECT_GT(good, 200u) << "the model must not be trivial";
  expect_untouched();
}

// Somebody swaps a folder for a link to the outside all the time: not one of the reads in between gets out.
TEST_F(ExplorerPaths, ASwapBetweenCheckAndUseGainsNothing) {
  put(scratch.path() / "outside/inside.txt", "secret");
  fs::create_directory_symlink(scratch.path() / "outside", root / "swap");
  std::atomic<bool> is_done = false;
  std::thread attacker([&] {
    while (!is_done) ::renameat2(AT_FDCWD, (root / "folder").c_str(), AT_FDCWD, (root / "swap").c_str(), 2);
  });
  std::size_t inside = 0, leaked = 0;
  for (int i = 0; i < 2'000; ++i) {
    const auto file = read(place, "folder/inside.txt");
    if (file && file->content == "inside") ++inside;
    if (file && file->content == "secret") ++leaked;
    static_cast<void>(write(place, "folder/planted.txt", "planted"));
  }
  is_done = true;
  attacker.join();
  EXPECT_EQ(leaked, 0u);
  EXPECT_FALSE(fs::exists(scratch.path() / "outside/planted.txt"));
}

}  // namespace explorer_paths_test
