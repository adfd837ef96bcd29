// What a repository's configuration says about how its changes are told holds here as it holds for git.
#include "tests/files/explorer_fixture.h"

namespace explorer_settings_test {

using namespace explorer_tests;
using testing::Contains;
using testing::HasSubstr;

class ExplorerSettings : public ExplorerTest {
 protected:
  void set(const std::string& name, const std::string& value) {
    run_git(root, {"config", "--unset-all", name});
    if (!value.empty()) git({"config", name, value});
  }
  // A file took another name, one was copied, both with a line of difference, and their source changed.
  void rename_and_copy() {
    make_repository();
    std::string lines;
    for (int i = 0; i < 50; ++i) lines += "line " + std::to_string(i) + "\n";
    put(root / "source", lines);
    put(root / "before", lines + "and more\n");
    commit("Second");
    put(root / "source", lines + "changed\n");
    put(root / "copy", lines + "copied\n");
    fs::rename(root / "before", root / "after");
    git({"add", "-A"});
  }
  // Patches call a copy a new file.
  void expect_diffs_as_git(const std::string& renames) {
    const auto diffs = repositories().diff(place, "");
    ASSERT_TRUE(diffs) << diffs.error().message;
    EXPECT_EQ(diffs->staged, git({"-c", "diff.renames=" + renames, "diff", "--cached"}));
    EXPECT_EQ(diffs->unstaged, git({"-c", "diff.renames=" + renames, "diff"}));
  }
};

TEST_F(ExplorerSettings, UntrackedFilesFollowTheConfiguration) {
  make_repository();
  put(root / "tracked once", "x");
  commit("Second");
  git({"rm", "-q", "--cached", "tracked once"});
  put(root / "a.txt", "changed");
  put(root / "new", "x");
  put(root / "new folder/x", "x");
  put(root / "new folder/deep/y", "y");
  for (const auto* wanted : {"", "no", "normal", "all"}) {
    SCOPED_TRACE(wanted);
    set("status.showUntrackedFiles", wanted);
    expect_as_git();
  }
  set("status.showUntrackedFiles", "no");
  EXPECT_THAT(lines(status()), testing::ElementsAre(" M a.txt", "D  tracked once"));
  EXPECT_TRUE(repositories().sync(place, "")->hash) << "what is not told is committed nevertheless, as by git add -A";
  EXPECT_EQ(git({"status", "--porcelain", "--untracked-files=all"}), "");
}

TEST_F(ExplorerSettings, RenameAndCopyDetectionFollowsTheConfiguration) {
  rename_and_copy();
  for (const bool is_settled : {false, true}) {
    if (is_settled) settle();
    for (const auto* in_diff : {"", "false", "true", "copies", "Copy"}) {
      for (const auto* in_status : {"", "no", "1", "copies"}) {
        SCOPED_TRACE(std::string(in_diff) + " " + in_status);
        set("diff.renames", in_diff);
        set("status.renames", in_status);
        expect_as_git();
        expect_diffs_as_git(in_diff == std::string("false") ? "false" : "true");
      }
    }
  }
  EXPECT_THAT(lines(status()), Contains("C  copy"));
  git({"commit", "-q", "-m", "Third"});
  set("diff.renames", "false");
  EXPECT_EQ(repositories().show(place, "HEAD", "")->patch, git({"diff", "HEAD^", "HEAD"}));
}

TEST_F(ExplorerSettings, WithoutACommitThereIsNothingToCopy) {
  git({"init", "-q"});
  set("status.renames", "copies");
  put(root / "one", "same\n");
  put(root / "other", "same\n");
  git({"add", "-A"});
  expect_as_git();
}

TEST_F(ExplorerSettings, AnUnknownValueIsAnError) {
  make_repository();
  for (const auto& [name, value] : {std::pair{"status.showUntrackedFiles", "some"}, {"status.renames", "perhaps"}}) {
    set(name, value);
    EXPECT_NE(run_git(root, {"status"}).code, 0) << name;
    EXPECT_THAT(repositories().status(place).error().message, HasSubstr(value)) << name;
    set(name, "");
  }
}

}  // namespace explorer_settings_test
