// Which files are looked into at all: never fewer than have changed, and none in a repository at rest.
#include "appliance/files/explorer/git/dirty_candidates.h"

#include <openssl/evp.h>

#include "appliance/files/explorer/git/path_list.h"
#include "appliance/files/explorer/git/repository.h"
#include "tests/files/explorer_fixture.h"

namespace explorer_dirty_candidates_test {

using namespace explorer_tests;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ExplorerDirtyCandidates : public ExplorerTest {
 protected:
  ExplorerDirtyCandidates() {
    make_repository();
    settle();
  }
  std::optional<git::DirtyCandidates> candidates() {
    const auto repository = git::open(root);
    return git::dirty_candidates(repository.get());
  }
};

TEST_F(ExplorerDirtyCandidates, AnUnchangedRepositoryHasNone) {
  const auto found = candidates();
  ASSERT_TRUE(found);
  EXPECT_THAT(found->staged, IsEmpty());
  EXPECT_THAT(found->edited, IsEmpty());
  EXPECT_THAT(found->unknown, IsEmpty());
}

TEST_F(ExplorerDirtyCandidates, AreFilesThatDifferFromTheIndex) {
  put(root / "edited", "x");
  put(root / "staged", "x");
  put(root / "deep/er/gone", "x");
  put(root / "kept", "x");
  commit("More");
  settle();
  put(root / "edited", "y");
  put(root / "staged", "y");
  git({"add", "staged"});
  fs::remove_all(root / "deep");
  fs::permissions(root / "kept", fs::perms(0755));
  put(root / "new folder/x", "x");
  put(root / "folder/new", "x");
  const auto found = candidates().value();
  EXPECT_THAT(found.staged, ElementsAre("staged"));
  EXPECT_THAT(found.edited, testing::IsSupersetOf({"edited", "deep/er/gone", "kept"}));
  EXPECT_THAT(found.unknown, UnorderedElementsAre("new folder", "folder/new"));
}

TEST_F(ExplorerDirtyCandidates, AForgedTimestampIsDetected) {
  const auto before = fs::last_write_time(root / "a.txt");
  put(root / "a.txt", "ONE\ntwo\nthree\n");
  fs::last_write_time(root / "a.txt", before);
  EXPECT_THAT(candidates()->edited, ElementsAre("a.txt"));
}

TEST_F(ExplorerDirtyCandidates, FilesAsRecentAsTheIndexAreCandidates) {
  put(root / "a.txt", "another\n");
  git({"add", "a.txt"});
  fs::last_write_time(root / ".git/index", fs::last_write_time(root / "a.txt"));
  EXPECT_THAT(candidates()->edited, ElementsAre("a.txt")) << "it may have changed again in the same second";
}

TEST_F(ExplorerDirtyCandidates, LinksAreNotFollowed) {
  fs::rename(root / "folder", scratch.path() / "elsewhere");
  fs::create_directory_symlink(scratch.path() / "elsewhere", root / "folder");
  EXPECT_THAT(candidates()->edited, ElementsAre("folder/b.txt"));
}

TEST_F(ExplorerDirtyCandidates, StagedFoldersAreFollowed) {
  put(root / "coming/x", "x");
  git({"add", "-A"});
  git({"rm", "-rq", "folder"});
  EXPECT_THAT(candidates()->staged, UnorderedElementsAre("coming", "folder"));
}

TEST_F(ExplorerDirtyCandidates, UnsupportedIndexesAreLeftToLibgit2) {
  const auto is_left = [&](const std::string& what) { EXPECT_FALSE(candidates()) << what; };
  git({"update-index", "--assume-unchanged", "a.txt"});
  is_left("a file that is never looked at");
  git({"update-index", "--no-assume-unchanged", "a.txt"});
  git({"update-index", "--skip-worktree", "a.txt"});
  is_left("a file that is not checked out");
  git({"update-index", "--no-skip-worktree", "a.txt"});
  git({"update-index", "--index-version", "4"});
  is_left("names in short");
  git({"update-index", "--index-version", "2"});
  EXPECT_TRUE(candidates());
  git({"update-index", "--split-index"});
  is_left("an index in two files");
  git({"update-index", "--no-split-index"});
  put(root / "folder/.git/HEAD", "x");
  is_left("a repository within");
  fs::remove_all(root / "folder/.git");
  git({"config", "core.ignorecase", "true"});
  is_left("names that are equal without being the same");
  git({"config", "core.ignorecase", "false"});
  const auto index = content_of(root / ".git/index");
  for (const auto& broken : {index.substr(0, index.size() / 2), std::string("DIRC"), std::string(), index + "x"}) {
    put(root / ".git/index", broken);
    is_left("a damaged index");
  }
  put(root / ".git/index", index);
  EXPECT_TRUE(candidates());
  for (int i = 0; i < 1'100; ++i) put(root / ("new" + std::to_string(i)), "x");
  is_left("too many");
}

// An index as somebody may write it who can reckon a checksum.
std::string signed_index(std::string index) {
  index.resize(index.size() - 20);
  std::array<unsigned char, 20> sum{};
  EVP_Digest(index.data(), index.size(), sum.data(), nullptr, EVP_sha1(), nullptr);
  return index.append(sum.begin(), sum.end());
}

TEST_F(ExplorerDirtyCandidates, ADamagedIndexIsRejected) {
  const auto index = content_of(root / ".git/index");
  ASSERT_EQ(signed_index(index), index);
  for (std::size_t at = 0; at < index.size(); ++at) {
    auto broken = index;
    broken[at] = static_cast<char>(broken[at] ^ 0xff);
    put(root / ".git/index", broken);
    EXPECT_FALSE(candidates()) << at;
  }
}

TEST_F(ExplorerDirtyCandidates, AHostileIndexReachesNoOtherFile) {
  put(scratch.path() / "owner/outside", "x");
  const auto index = content_of(root / ".git/index");
  for (std::size_t at = 0; at < index.size() - 20; ++at) {
    for (const int value : {0x00, 0x01, 0x2e, 0x2f, 0x7f, 0xff}) {
      auto hostile = index;
      hostile[at] = static_cast<char>(value);
      put(root / ".git/index", signed_index(hostile));
      const auto found = candidates();
      for (const auto& path : found ? found->unknown : std::vector<std::string>()) EXPECT_NE(path, "outside") << at;
    }
  }
  for (const std::string path : {"../fold/b.txt", "folder//.txt", "./lder/b.txt", ".git/r/b.txt", "/older/b.txt"}) {
    auto hostile = index;
    hostile.replace(hostile.find("folder/b.txt"), path.size(), path);
    put(root / ".git/index", signed_index(hostile));
    EXPECT_FALSE(candidates()) << path;
  }
}

TEST(PathLists, OmitPathsBelowAnother) {
  const git::PathList list({"b", "a/b/c", "a-b", "a", "b", "ab/c"});
  const auto paths = list.get();
  EXPECT_THAT(std::vector<std::string>(paths.strings, paths.strings + paths.count),
              ElementsAre("a", "a-b", "ab/c", "b"));
}

}  // namespace explorer_dirty_candidates_test
