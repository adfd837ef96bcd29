// One commit, as the git command line shows it.
#include "tests/files/explorer_fixture.h"

namespace explorer_show_test {

using namespace explorer_tests;
using testing::ElementsAre;

class ExplorerShow : public ExplorerTest {
 protected:
  ExplorerShow() { make_repository(); }
  git::ShownCommit show(const std::string& revision = "HEAD", const std::string& path = "") const {
    const auto shown = repositories().show(place, revision, path);
    if (!shown) throw std::runtime_error(shown.error().message);
    return *shown;
  }
  std::string line(std::vector<std::string> arguments) const {
    auto out = git(std::move(arguments));
    while (out.ends_with('\n')) out.pop_back();
    return out;
  }
  static std::vector<std::string> files(const git::ShownCommit& shown) {
    std::vector<std::string> lines;
    for (const auto& file : shown.files) {
      lines.push_back(file.status + (" " + file.from.value_or("")) + (file.from ? " -> " : "") + file.path);
    }
    return lines;
  }
};

TEST_F(ExplorerShow, EveryKindOfChangeIsShownAsByGit) {
  put(root / "long.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n");
  put(root / "gone.txt", "gone\n");
  commit("More");
  fs::rename(root / "long.txt", root / "renamed.txt");
  fs::remove(root / "gone.txt");
  put(root / "a.txt", "one\n2\nthree\n");
  put(root / "new.txt", "new");
  put(root / "binary", std::string("\0\1\2", 3));
  fs::remove(root / "folder/b.txt");
  fs::create_symlink("nowhere", root / "folder/b.txt");
  git({"add", "-A"});
  git({"commit", "-q", "-m", "All kinds\n\nOf change, ü"});

  const auto shown = show();
  EXPECT_EQ(shown.commit.hash, line({"rev-parse", "HEAD"}));
  EXPECT_EQ(shown.commit.subject, "All kinds");
  EXPECT_EQ(shown.message, git({"log", "-1", "--format=%B"}).substr(0, shown.message.size()));
  EXPECT_EQ(shown.commit.author, "Referee");
  EXPECT_EQ(shown.email, "referee@example.org");
  EXPECT_THAT(shown.parents, ElementsAre(line({"rev-parse", "HEAD~"})));
  EXPECT_THAT(files(shown), testing::UnorderedElementsAre("M a.txt", "A binary", "T folder/b.txt", "D gone.txt",
                                                          "R long.txt -> renamed.txt", "A new.txt"));
  // The referee applies it to what was before and gets what is now.
  git({"checkout", "-q", "--detach", "HEAD~"});
  const auto text_only = show("main", "a.txt").patch + show("main", "new.txt").patch;
  git(root, {"apply", "--index"}, text_only);
  EXPECT_EQ(content_of(root / "a.txt"), "one\n2\nthree\n");
  EXPECT_EQ(content_of(root / "new.txt"), "new");
  EXPECT_EQ(show("main", "a.txt").patch, git({"show", "--format=", "main", "--", "a.txt"}));
}

TEST_F(ExplorerShow, TheFirstCommitAndAMergeHaveTheirDifferences) {
  EXPECT_THAT(files(show()), ElementsAre("A a.txt", "A folder/b.txt"));
  EXPECT_EQ(show().patch, git({"show", "--format=", "HEAD"}));
  EXPECT_TRUE(show().parents.empty());

  git({"checkout", "-q", "-b", "side"});
  put(root / "side.txt", "side\n");
  commit("Side");
  git({"checkout", "-q", "main"});
  put(root / "main.txt", "main\n");
  commit("Main");
  git({"merge", "-q", "--no-ff", "-m", "Both", "side"});
  const auto merge = show();
  EXPECT_EQ(merge.parents.size(), 2u);
  EXPECT_EQ(merge.patch, git({"diff", "HEAD^1", "HEAD"}));
}

TEST_F(ExplorerShow, AFileIsShownAsOfThatCommit) {
  put(root / "a.txt", "later\n");
  commit("Later");
  EXPECT_EQ(show("HEAD", "a.txt").content, "later\n");
  EXPECT_EQ(show(line({"rev-parse", "HEAD~"}), "a.txt").content, git({"show", "HEAD~:a.txt"}));
  EXPECT_EQ(show("HEAD", "folder/b.txt").content, "b\n");
  EXPECT_TRUE(show("HEAD", "folder/b.txt").patch.empty()) << "it did not change in that commit";
  EXPECT_FALSE(show("HEAD", "folder").content);
  EXPECT_FALSE(show("HEAD", "absent").content);
  put(root / "binary", std::string("\0\1", 2));
  put(root / "big", std::string(explorer::max_file_bytes + 1, 'x'));
  commit("Not to be shown");
  EXPECT_FALSE(show("HEAD", "binary").content);
  EXPECT_FALSE(show("HEAD", "big").content);
}

TEST_F(ExplorerShow, RevisionsAreHashesAndNamesOnly) {
  const auto hash = line({"rev-parse", "HEAD"});
  git({"tag", "light"});
  git({"tag", "-a", "-m", "Heavy", "heavy"});
  git({"branch", "topic/one"});
  for (const auto& revision :
       {hash, hash.substr(0, 7), hash.substr(0, 4), std::string("HEAD"), std::string("main"), std::string("light"),
        std::string("heavy"), std::string("topic/one"), std::string("refs/heads/main")}) {
    EXPECT_EQ(show(revision).commit.hash, hash) << revision;
  }
  const auto tree = line({"rev-parse", "HEAD^{tree}"});
  for (const std::string& revision :
       {std::string("HEAD~"), std::string("HEAD^{/First}"), std::string(":/First"), std::string("main@{yesterday}"),
        std::string("HEAD:a.txt"), std::string("-n1"), std::string("--all"), std::string("../config"),
        std::string("config"), std::string("absent"), std::string("0000"), std::string(40, '0'), tree,
        std::string("main..main"), std::string(" ")}) {
    const auto shown = repositories().show(place, revision, "");
    ASSERT_FALSE(shown) << revision;
    EXPECT_EQ(shown.error().kind, web::Kind::not_found) << revision << ": " << shown.error().message;
  }
}

TEST_F(ExplorerShow, WithoutACommitThereIsNothingToShow) {
  const explorer::Place empty{.folder = scratch.path() / "empty"};
  fs::create_directories(empty.folder);
  EXPECT_EQ(repositories().show(empty, "HEAD", "").error().kind, web::Kind::internal) << "no repository";
  git(empty.folder, {"init", "-q"});
  EXPECT_EQ(repositories().show(empty, "HEAD", "").error().kind, web::Kind::not_found);
  EXPECT_EQ(repositories().show(place, "HEAD", "../x").error().kind, web::Kind::invalid);
}

}  // namespace explorer_show_test
