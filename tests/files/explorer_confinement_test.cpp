// Git through the explorer answers nothing from outside of the folder it explores, however a repository is laid out. A
// box keeps its secrets right above the folder, as the data folder does with master.key and agents/.
#include <unistd.h>

#include "tests/files/explorer_fixture.h"

namespace explorer_confinement_test {

using namespace explorer_tests;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view secret = "the master key of the box";

class ExplorerConfinement : public ExplorerTest, public testing::WithParamInterface<bool> {
 protected:
  ExplorerConfinement() {
    put(outside / "master.key", secret);
    put(outside / "agentbox.toml", "internal_api_key = \"" + std::string(secret) + "\"\n");
  }

  explorer::Place where() const { return {.folder = root, .is_workspace = GetParam()}; }

  // Everything that git routes answer, in one text.
  std::string answers() const {
    auto box = repositories();
    std::string text;
    const auto add = [&text](const auto& result, auto show) {
      text += result ? show(*result) : result.error().message;
    };
    add(box.status(where()), [](const std::optional<explorer::Status>& status) {
      std::string shown = status ? status->branch + status->remote.value_or("") : "";
      for (const auto& change : status ? status->changes.list : std::vector<git::Change>{}) shown += change.path + "\n";
      return shown;
    });
    add(box.sync(where(), "Take it all"), [](const explorer::SyncResult& synced) { return synced.message; });
    add(box.diff(where(), ""), [](const explorer::Diffs& diffs) { return diffs.unstaged + diffs.staged; });
    add(box.log(where(), 100), [](const std::vector<git::Commit>& commits) {
      std::string shown;
      for (const auto& commit : commits) shown += commit.subject + "\n";
      return shown;
    });
    for (const auto* path : {"", "master.key", "owner/master.key", "agentbox.toml", "stolen"}) {
      add(box.show(where(), "HEAD", path),
          [](const git::ShownCommit& shown) { return shown.patch + shown.message + shown.content.value_or(""); });
    }
    return text;
  }
  void expect_refused(const std::string& form) const {
    const auto told = answers();
    EXPECT_THAT(told, Not(HasSubstr(std::string(secret)))) << form;
    EXPECT_THAT(told, Not(HasSubstr("Committed"))) << form;
    EXPECT_EQ(content_of(outside / "master.key"), secret) << form;
    const auto status = repositories().status(where());
    EXPECT_TRUE(!status || !status->has_value()) << form;
  }
  void start_over() {
    fs::remove_all(root);
    fs::create_directories(root);
  }

  // A repository elsewhere on the machine that holds the secret in a commit.
  fs::path other_repository() {
    const auto other = scratch.path() / "other";
    fs::create_directories(other);
    git(other, {"init", "-q"});
    put(other / "stolen", secret);
    git(other, {"add", "-A"});
    git(other, {"commit", "-q", "-m", std::string(secret)});
    return other;
  }

  const fs::path outside = root.parent_path();
};

TEST_P(ExplorerConfinement, AFolderWithTheFilesOfADatabaseIsNoRepository) {
  for (const auto& config :
       std::vector<std::string>{"[core]\n\tbare = false\n", "[core]\n\tbare = false\n\tworktree = ..\n",
                                "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"}) {
    start_over();
    put(root / "HEAD", "ref: refs/heads/main\n");
    put(root / "config", config);
    put(root / "objects/info/x", "");
    put(root / "refs/heads/x.tmp", "");
    expect_refused(config);
    EXPECT_FALSE(fs::exists(root / "index")) << config;
    // The same with an empty .git, which libgit2 passes over.
    fs::create_directories(root / ".git");
    expect_refused("an empty .git beside " + config);
  }
}

TEST_P(ExplorerConfinement, ABareRepositoryIsNotOpened) {
  make_repository();
  git({"config", "core.bare", "true"});
  expect_refused("core.bare");
}

TEST_P(ExplorerConfinement, TheWorkingTreeIsTheFolderItself) {
  make_repository();
  for (const auto& tree : std::vector<std::string>{outside.string(), "../..", "../../owner", "/", "../folder"}) {
    put(root / ".git/config", "[core]\n\tworktree = " + tree + "\n");
    expect_refused("core.worktree = " + tree);
  }
}

TEST_P(ExplorerConfinement, TheDatabaseMustBeInTheFolder) {
  const auto other = other_repository();
  put(root / ".git", "gitdir: " + (other / ".git").string() + "\n");
  expect_refused("gitdir:");
  put(root / ".git", "gitdir: ../../other/.git\n");
  expect_refused("a relative gitdir:");
  start_over();
  fs::create_directory_symlink(other / ".git", root / ".git");
  expect_refused("a link");
  start_over();
  git({"init", "-q"});
  put(root / ".git/commondir", (other / ".git").string() + "\n");
  expect_refused("commondir");
  start_over();
  git({"init", "-q"});
  put(root / ".git/commondir", "../../../other/.git\n");
  expect_refused("a relative commondir");
  start_over();
  git(other, {"worktree", "add", "-q", "-b", "side", root.string()});
  expect_refused("a worktree of another repository");
}

TEST_P(ExplorerConfinement, PartsOfTheDatabaseMustBeInTheFolder) {
  const auto other = other_repository();
  for (const auto* part : {"objects", "refs"}) {
    start_over();
    make_repository();
    fs::remove_all(root / ".git" / part);
    fs::create_directory_symlink(other / ".git" / part, root / ".git" / part);
    expect_refused(part);
  }
  for (const auto& objects : {(other / ".git/objects").string(), std::string("../../../../other/.git/objects")}) {
    start_over();
    make_repository();
    put(root / ".git/objects/info/alternates", objects + "\n");
    expect_refused("alternates " + objects);
  }
  start_over();
  make_repository();
  fs::remove(root / ".git/HEAD");
  fs::create_symlink(other / ".git/HEAD", root / ".git/HEAD");
  EXPECT_THAT(answers(), Not(HasSubstr(std::string(secret)))) << "a link in place of HEAD";
}

TEST_P(ExplorerConfinement, ConfigurationFromOutsideIsNotIncluded) {
  make_repository();
  put(outside / "included", "[remote \"origin\"]\n\turl = https://" + std::string("token-of-the-box") + ".example/x\n");
  const std::string path = (outside / "included").string();
  const auto clean = content_of(root / ".git/config");
  for (const auto& section : {"[include]\n\tpath = " + path, std::string("[include]\n\tpath = ../../included"),
                              "[includeIf \"gitdir:" + root.string() + "/**\"]\n\tpath = " + path,
                              std::string("[include]\n\tpath = ~/included")}) {
    put(root / ".git/config", clean + section + "\n");
    EXPECT_THAT(answers(), Not(HasSubstr("token-of-the-box"))) << section;
    expect_refused(section);
  }
  put(root / ".git/more", "[remote \"origin\"]\n\turl = https://inside.example/x\n");
  put(root / ".git/config", clean + "[include]\n\tpath = more\n");
  const auto status = repositories().status(where());
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->value().remote, "https://inside.example/x") << "what is in the folder may be included";
}

TEST_P(ExplorerConfinement, NoLinkIsFollowedOutside) {
  make_repository();
  fs::create_symlink(outside / "master.key", root / "stolen");
  fs::create_symlink(outside / "master.key", root / ".gitignore");
  fs::create_symlink(outside / "master.key", root / ".gitattributes");
  fs::create_directory_symlink(outside, root / "up");
  git({"config", "core.attributesFile", (outside / "master.key").string()});
  git({"config", "core.excludesFile", (outside / "master.key").string()});
  EXPECT_THAT(answers(), Not(HasSubstr(std::string(secret))));
}

// Set in the environment of the box, these would count for git.
TEST_P(ExplorerConfinement, TheEnvironmentOfTheBoxIsIgnored) {
  const auto other = other_repository();
  make_repository();
  ::setenv("GIT_DIR", (other / ".git").c_str(), 1);
  ::setenv("GIT_NAMESPACE", "other", 1);
  ::setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", (other / ".git/objects").c_str(), 1);
  const auto status = repositories().status(where());
  for (const auto* name : {"GIT_DIR", "GIT_NAMESPACE", "GIT_ALTERNATE_OBJECT_DIRECTORIES"}) ::unsetenv(name);
  ASSERT_TRUE(status && status->has_value());
  EXPECT_EQ(lines(**status), lines(repositories().status(where())->value()));
}

TEST_P(ExplorerConfinement, ARepositoryWhoseDatabaseHasAnotherNameInTheFolderIsOpened) {
  git({"init", "-q", "--separate-git-dir", (root / "data.git").string()});
  put(root / ".gitignore", "data.git\n");
  put(root / ".git", "gitdir: data.git\n");
  const auto status = repositories().status(where());
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->value().branch, "main");
}

INSTANTIATE_TEST_SUITE_P(Places, ExplorerConfinement, testing::Bool(),
                         [](const auto& place) { return place.param ? "Workspace" : "OperatorsFolder"; });

}  // namespace explorer_confinement_test
