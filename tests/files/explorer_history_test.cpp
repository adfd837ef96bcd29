// Patches and history, with git as the referee: what we print, git applies; what git logs, we list.
#include "tests/files/explorer_fixture.h"

namespace explorer_history_test {

using namespace explorer_tests;
using testing::HasSubstr;
using testing::Not;

class ExplorerHistory : public ExplorerTest {
 protected:
  ExplorerHistory() { make_repository(); }
  explorer::Diffs diff(std::string_view path = "") { return repositories().diff(place, path).value(); }
};

TEST_F(ExplorerHistory, ACleanRepositoryHasNoDiff) {
  EXPECT_EQ(diff().unstaged, "");
  EXPECT_EQ(diff().staged, "");
}

TEST_F(ExplorerHistory, GitAppliesOurPatches) {
  std::string many;
  for (int i = 0; i < 200; ++i) many += "line " + std::to_string(i) + "\n";
  put(root / "many", many);
  put(root / "no end", "a\nb");
  put(root / "gone", "gone\n");
  put(root / "moves", many + "and moves\n");
  commit("Second");
  const auto before = git({"rev-parse", "HEAD"});

  many.replace(many.find("line 100\n"), 9, "changed\nand added\n");
  put(root / "many", "first\n" + many);
  put(root / "no end", "a\nb\nc");
  fs::remove(root / "gone");
  git({"mv", "moves", "moved"});
  fs::permissions(root / "a.txt", fs::perms(0755));
  put(root / "Gr\u00fc\u00dfe \"quoted\"\ttab", "x\n");
  git({"add", "-A"});
  put(root / "many", many + "unstaged\n");
  const auto patches = diff();

  const auto copy = scratch.path() / "copy";
  git({"clone", "-q", root.string(), copy.string()});
  git(copy, {"apply", "--index"}, patches.staged);
  EXPECT_EQ(git(copy, {"diff", "--cached"}), git({"diff", "--cached"}));
  git(copy, {"apply"}, patches.unstaged);
  EXPECT_EQ(git(copy, {"diff"}), git({"diff"}));
  EXPECT_EQ(git({"rev-parse", "HEAD"}), before) << "looking changes nothing";
}

TEST_F(ExplorerHistory, NormalisedLineEndsAreNoDifference) {
  git({"config", "core.autocrlf", "input"});
  put(root / "a.txt", "one\r\ntwo\r\nthree\r\n");
  put(root / "folder/b.txt", "b\r\nc\r\n");
  EXPECT_EQ(diff().unstaged, git({"-c", "core.safecrlf=false", "diff"}));
}

TEST_F(ExplorerHistory, AFileAddedByIntentIsANewFile) {
  put(root / "announced", "x\n");
  put(root / "empty", "");
  put(root / "program", "#!/bin/sh\n");
  fs::permissions(root / "program", fs::perms(0755));
  git({"add", "-N", "announced", "empty", "program"});
  put(root / "a.txt", "changed\n");
  EXPECT_EQ(diff().unstaged, git({"diff"}));
  EXPECT_EQ(diff().staged, git({"diff", "--cached"}));
  EXPECT_EQ(diff("announced").unstaged, git({"diff", "--", "announced"}));
  EXPECT_TRUE(repositories().sync(place, "Announced")->hash);
  EXPECT_EQ(git({"status", "--porcelain"}), "");
  EXPECT_EQ(git({"ls-tree", "--name-only", "HEAD"}), "a.txt\nannounced\nempty\nfolder\nprogram\n");
}

TEST_F(ExplorerHistory, EmptyFilesHaveNoHunks) {
  put(root / "gone", "");
  commit("Second");
  fs::remove(root / "gone");
  EXPECT_EQ(diff().unstaged, git({"diff"}));
  git({"add", "-A"});
  EXPECT_EQ(diff().staged, git({"diff", "--cached"}));
  commit("Third");
  put(root / "new", "");
  git({"add", "new"});
  EXPECT_EQ(diff().staged, git({"diff", "--cached"}));
}

// Spaces, and what has to be quoted, stand in a patch as git writes them: patch(1) and git apply read their ends.
TEST_F(ExplorerHistory, NamesAreQuotedAsByGit) {
  const std::string lines = "one\ntwo\nthree\nfour\nfive\nsix\n";
  for (const auto* name : {"with space", "two  spaces/in it", " at its ends ", "renamed with space", "tab\tinside",
                           "quote \"and space\"", "back\\slash", "gr\u00fc\u00df dich", "run me"}) {
    put(root / name, lines);
  }
  put(root / "gone with space", "gone\n");
  put(root / "binary file", std::string("\0\1", 2));
  commit("Names");
  for (const auto* name : {"with space", "two  spaces/in it", " at its ends ", "tab\tinside", "quote \"and space\"",
                           "back\\slash", "gr\u00fc\u00df dich"}) {
    put(root / name, lines + "seven\n");
  }
  put(root / "binary file", std::string("\0\2", 2));
  fs::permissions(root / "run me", fs::perms(0755));
  fs::remove(root / "gone with space");
  EXPECT_EQ(diff().unstaged, git({"-c", "core.quotePath=true", "diff"}));
  EXPECT_THAT(diff().unstaged, HasSubstr("--- a/with space\t\n+++ b/with space\t\n"));
  fs::rename(root / "renamed with space", root / "another name");
  put(root / "new with space", "new\n");
  git({"add", "-A"});
  EXPECT_EQ(diff().staged, git({"-c", "core.quotePath=true", "diff", "--cached"}));
}

TEST_F(ExplorerHistory, ADirtySubmoduleIsReportedAsByGit) {
  const auto library = scratch.path() / "library";
  git(scratch.path(), {"init", "-q", library.string()});
  put(library / "l.txt", "1");
  git(library, {"add", "-A"});
  git(library, {"commit", "-q", "-m", "Library"});
  git({"submodule", "add", "-q", library.string(), "library"});
  commit("With a library");
  put(root / "library/l.txt", "changed");
  EXPECT_EQ(diff().unstaged, git({"diff"}));
  git(root / "library", {"commit", "-q", "-a", "-m", "Moved on"});
  EXPECT_EQ(diff().unstaged, git({"diff"}));
}

TEST_F(ExplorerHistory, ConflictsAreReportedAsByGit) {
  const auto edit = [&](const std::string& name, const std::string& by) {
    put(root / name, by + "\nof\nthe\nfile\n" + name + "\n");
  };
  for (const auto* name : {"by-both", "deleted-by-us", "deleted-by-them", "removed", "resolved"}) edit(name, "both");
  commit("Base");
  git({"checkout", "-q", "-b", "other"});
  for (const auto* name : {"by-both", "deleted-by-us", "removed", "added-by-both", "resolved"}) edit(name, "theirs");
  put(root / "only-theirs", "x\n");
  fs::remove(root / "deleted-by-them");
  commit("Theirs");
  git({"checkout", "-q", "main"});
  for (const auto* name : {"by-both", "deleted-by-them", "removed", "added-by-both", "resolved"}) edit(name, "ours");
  fs::remove(root / "deleted-by-us");
  commit("Ours");
  ASSERT_NE(run_git(root, {"merge", "other"}).code, 0);
  fs::remove(root / "removed");
  edit("resolved", "ours");
  put(root / "a.txt", "changed\n");
  EXPECT_EQ(diff().staged, git({"diff", "--cached"}));
  EXPECT_EQ(diff().unstaged, git({"diff", "--ours", "--no-renames"}));
  EXPECT_THAT(diff().unstaged, testing::AllOf(HasSubstr("* Unmerged path by-both\ndiff --git a/by-both b/by-both\n"),
                                              HasSubstr("+<<<<<<< HEAD\n"), HasSubstr("a/a.txt b/a.txt")));
  for (const auto* path : {"by-both", "deleted-by-us", "folder"}) {
    EXPECT_EQ(diff(path).staged, git({"diff", "--cached", "--", path}));
    EXPECT_EQ(diff(path).unstaged, git({"diff", "--ours", "--", path}));
  }
}

TEST_F(ExplorerHistory, APathLimitsThePatchAndIsNoPattern) {
  put(root / "a.txt", "changed\n");
  put(root / "folder/b.txt", "changed\n");
  EXPECT_THAT(diff("folder").unstaged, Not(HasSubstr("a.txt")));
  EXPECT_THAT(diff("./folder//b.txt").unstaged, HasSubstr("folder/b.txt"));
  EXPECT_EQ(diff("*.txt").unstaged, "");
  EXPECT_EQ(diff("absent").unstaged, "");
  for (const auto* path : {"../owner", "/etc", ".git/config", "a\\b"}) {
    EXPECT_EQ(repositories().diff(place, path).error().kind, web::Kind::invalid) << path;
  }
}

TEST_F(ExplorerHistory, BinaryFilesAreNamedAndHugePatchesRefused) {
  put(root / "a.txt", std::string("bin\0ary", 7));
  EXPECT_THAT(diff().unstaged, HasSubstr("Binary files a/a.txt and b/a.txt differ"));
  std::string huge;
  while (huge.size() <= explorer::max_diff_bytes) huge += "a line of some length, again and again and again\n";
  put(root / "a.txt", huge);
  const auto refused = repositories().diff(place, "").error();
  EXPECT_EQ(refused.kind, web::Kind::invalid);
  EXPECT_THAT(refused.message, HasSubstr("4 MB"));
  EXPECT_EQ(diff("folder").unstaged, "") << "the rest can still be asked for";
}

TEST_F(ExplorerHistory, ConfiguredProgramsAndPrefixesAreNotUsed) {
  const auto proof = scratch.path() / "ran";
  git({"config", "diff.external", "touch " + proof.string()});
  git({"config", "diff.noprefix", "true"});
  git({"config", "diff.evil.textconv", "touch " + proof.string() + "; cat"});
  git({"config", "filter.evil.clean", "touch " + proof.string() + "; cat"});
  git({"config", "filter.evil.smudge", "touch " + proof.string() + "; cat"});
  git({"config", "core.fsmonitor", "touch " + proof.string()});
  git({"config", "core.sshCommand", "touch " + proof.string()});
  git({"config", "credential.helper", "!touch " + proof.string()});
  put(root / ".gitattributes", "* filter=evil diff=evil\n");
  put(root / "a.txt", "changed\n");
  EXPECT_THAT(diff().unstaged, HasSubstr("--- a/a.txt"));
  EXPECT_TRUE(repositories().status(place));
  EXPECT_FALSE(repositories().sync(place, "With a filter"));
  put(root / ".gitattributes", "* diff=evil\n");
  EXPECT_TRUE(repositories().sync(place, "Without programs")->hash);
  EXPECT_FALSE(fs::exists(proof));
}

TEST_F(ExplorerHistory, TheLogMatchesGit) {
  for (int i = 0; i < 30; ++i) commit("Commit " + std::to_string(i) + "\n\nwith a body");
  git({"checkout", "-q", "-b", "side", "HEAD~5"});
  commit("On the side");
  git({"checkout", "-q", "main"});
  git({"merge", "-q", "--no-edit", "side"});
  const auto commits = repositories().log(place, 100).value();
  std::string listed;
  for (const auto& commit : commits) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(commit.date.time_since_epoch()).count();
    listed += commit.hash + " " + commit.subject + " " + commit.author + " " + std::to_string(seconds) + "\n";
    EXPECT_EQ(commit.hash.substr(0, commit.short_hash.size()), commit.short_hash);
    EXPECT_GE(commit.short_hash.size(), 7u);
  }
  EXPECT_EQ(listed, git({"log", "--format=%H %s %an %at"}));
  EXPECT_EQ(commits.front().subject, "Merge branch 'side'");
  EXPECT_EQ(repositories().log(place, 3)->size(), 3u);
}

TEST_F(ExplorerHistory, OtherEncodingsAreConverted) {
  git({"-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "--allow-empty", "--author",
       "J\xf6rg <j\xf6rg@example.org>", "-m",
       "Gr\xfc\xdf"
       "e\n\nMit K\xf6rper"});
  git({"-c", "i18n.commitEncoding=no-such-encoding", "commit", "-q", "--allow-empty", "-m", "Plain"});
  const auto commits = repositories().log(place, 2).value();
  std::string listed;
  for (const auto& commit : commits) listed += commit.subject + " " + commit.author + "\n";
  EXPECT_EQ(listed, git({"log", "-2", "--format=%s %an"}));
  EXPECT_EQ(commits.back().subject, "Gr\u00fc\u00dfe");
  const auto older = repositories().show(place, commits.back().hash, "").value();
  EXPECT_EQ(older.message + older.email, "Gr\u00fc\u00dfe\n\nMit K\u00f6rper\nj\u00f6rg@example.org");
}

TEST_F(ExplorerHistory, TheLogIsNewestFirst) {
  for (int i = 0; i < 5; ++i) {
    const auto date = std::to_string(1'700'000'000 + i * 60) + " +0200";
    git({"commit", "-q", "--allow-empty", "--date", date, "-m", std::to_string(i)});
  }
  const auto listed = repositories().log(place, 5).value();
  std::string order;
  for (const auto& commit : listed) order += commit.subject;
  EXPECT_EQ(order, "43210");
  EXPECT_EQ(listed.front().date.time_since_epoch(), std::chrono::seconds(1'700'000'240));
}

}  // namespace explorer_history_test
