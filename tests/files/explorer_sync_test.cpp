// Committing everything and sending it away: what lands where, and what is told when only half of it works.
#include <future>

#include "appliance/foundation/descriptor.h"

#include "tests/files/explorer_fixture.h"

namespace explorer_sync_test {

using namespace explorer_tests;
using testing::HasSubstr;
using testing::Not;

// A peer that takes connections and never says a word.
class Mute {
 public:
  Mute() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(socket_.get(), 8) != 0 ||
        ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("no port to listen on");
    }
    port_ = ntohs(address.sin_port);
  }
  std::string url(const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + std::to_string(port_) + "/x.git";
  }
  // Returns once somebody has connected.
  void wait_for_client() { client_.reset(::accept(socket_.get(), nullptr, nullptr)); }

 private:
  files::Descriptor socket_, client_;
  std::uint16_t port_ = 0;
};

class ExplorerSync : public ExplorerTest {
 protected:
  ExplorerSync() { make_repository(); }
  explorer::SyncResult sync(const std::string& message = "From the box") {
    auto box = repositories();
    const auto synced = box.sync(place, message);
    if (!synced) throw std::runtime_error(synced.error().message);
    return *synced;
  }
};

TEST_F(ExplorerSync, CommitsEverythingInTheNameOfTheBox) {
  put(root / "new folder/file", "x");
  put(root / "a.txt", "changed");
  put(root / ".gitignore", "*.log\n");
  put(root / "noise.log", "x");
  fs::remove(root / "folder/b.txt");
  const auto synced = sync("A message\n\nwith a body  \n");
  ASSERT_TRUE(synced.hash);
  EXPECT_FALSE(synced.is_pushed);
  EXPECT_THAT(synced.message, HasSubstr("no remote"));
  EXPECT_EQ(git({"rev-parse", "main"}), *synced.hash + "\n");
  EXPECT_EQ(git({"log", "-1", "--format=%an <%ae> %cn|%B"}),
            "The Box <box@example.org> The Box|A message\n\nwith a body\n\n");
  EXPECT_EQ(git({"status", "--porcelain"}), "");
  EXPECT_EQ(git({"ls-tree", "-r", "--name-only", "HEAD"}), ".gitignore\na.txt\nnew folder/file\n");
  EXPECT_EQ(git({"fsck", "--strict"}), "");
}

TEST_F(ExplorerSync, WithoutChangesNothingIsCommitted) {
  const auto bare = make_bare("remote.git");
  git({"remote", "add", "origin", bare.string()});
  const auto before = git({"rev-parse", "HEAD"});
  const auto synced = sync();
  EXPECT_FALSE(synced.hash);
  EXPECT_FALSE(synced.is_pushed);
  EXPECT_EQ(git({"rev-parse", "HEAD"}), before);
  EXPECT_EQ(git(bare, {"for-each-ref"}), "");
}

TEST_F(ExplorerSync, UnpushedCommitsAreReported) {
  EXPECT_EQ(sync().message, "There is nothing to commit");
  const auto bare = make_bare("remote.git");
  git({"remote", "add", "origin", bare.string()});
  EXPECT_EQ(sync().message,
            "There is nothing to commit. Whether origin has all of main is not known: the next commit takes it along");
  git({"push", "-q", "origin", "main"});
  EXPECT_EQ(sync().message, "There is nothing to commit");
  commit("Second");
  EXPECT_EQ(
      sync().message,
      "There is nothing to commit, but 1 commit of main is not pushed to origin yet: the next commit takes it along");
  commit("Third");
  const auto third = sync();
  EXPECT_EQ(
      third.message,
      "There is nothing to commit, but 2 commits of main are not pushed to origin yet: the next commit takes them "
      "along");
  EXPECT_FALSE(third.is_pushed);
  put(root / "a.txt", "changed");
  EXPECT_TRUE(sync().is_pushed);
  EXPECT_EQ(sync().message, "There is nothing to commit");
}

TEST_F(ExplorerSync, ABlankMessageIsReplacedByTheDefault) {
  for (const auto* message : {"", " ", "\n\t \r\n"}) {
    put(root / "a.txt", std::string(message) + "changed");
    ASSERT_TRUE(sync(message).hash);
    EXPECT_EQ(git({"log", "-1", "--format=%B"}), "sync changes\n\n");
  }
}

TEST_F(ExplorerSync, TheFirstCommitCreatesTheBranch) {
  fs::remove_all(root / ".git");
  git({"init", "-q", "-b", "trunk"});
  EXPECT_TRUE(sync().hash);
  EXPECT_EQ(git({"log", "--format=%s", "trunk"}), "From the box\n");
}

TEST_F(ExplorerSync, PushesToALocalFolderByPathOrUrl) {
  const auto bare = make_bare("remote.git");
  git({"remote", "add", "origin", "placeholder"});
  for (const auto& url : {bare.string(), "file://" + bare.string(), std::string("../../remote.git")}) {
    git({"remote", "set-url", "origin", url});
    put(root / "a.txt", url);
    const auto synced = sync();
    EXPECT_TRUE(synced.is_pushed) << url << ": " << synced.message;
    EXPECT_EQ(git(bare, {"rev-parse", "main"}), *synced.hash + "\n");
    EXPECT_EQ(git({"rev-parse", "refs/remotes/origin/main"}), *synced.hash + "\n");
  }
  EXPECT_EQ(git(bare, {"fsck", "--strict"}), "");
}

TEST_F(ExplorerSync, PushesTheBranchToItsOwnRemote) {
  const auto first = make_bare("first.git"), second = make_bare("second.git");
  git({"remote", "add", "origin", first.string()});
  git({"remote", "add", "backup", second.string()});
  git({"checkout", "-q", "-b", "topic"});
  git({"config", "branch.topic.remote", "backup"});
  put(root / "a.txt", "changed");
  EXPECT_EQ(sync().message, "Committed and pushed to backup/topic");
  EXPECT_EQ(git(first, {"for-each-ref"}), "");
  EXPECT_THAT(git(second, {"for-each-ref"}), HasSubstr("refs/heads/topic"));
}

TEST_F(ExplorerSync, ARefusedPushKeepsTheCommitAndReportsTheReason) {
  const auto bare = make_bare("remote.git");
  git({"remote", "add", "origin", bare.string()});
  git({"push", "-q", "origin", "main"});
  const auto other = scratch.path() / "other";
  git({"clone", "-q", "-b", "main", bare.string(), other.string()});
  git(other, {"commit", "-q", "--allow-empty", "-m", "Elsewhere"});
  git(other, {"push", "-q"});
  const auto theirs = git(bare, {"rev-parse", "main"});
  put(root / "a.txt", "ours");
  const auto synced = sync();
  EXPECT_TRUE(synced.hash);
  EXPECT_FALSE(synced.is_pushed);
  EXPECT_THAT(synced.message, HasSubstr("Committed, not pushed"));
  EXPECT_EQ(git(bare, {"rev-parse", "main"}), theirs) << "nothing is forced";
}

TEST_F(ExplorerSync, ADetachedHeadIsCommittedAndNotPushed) {
  git({"remote", "add", "origin", make_bare("remote.git").string()});
  git({"checkout", "-q", "--detach"});
  put(root / "a.txt", "changed");
  const auto synced = sync();
  EXPECT_EQ(git({"rev-parse", "HEAD"}), *synced.hash + "\n");
  EXPECT_THAT(synced.message, HasSubstr("no branch"));
}

TEST_F(ExplorerSync, AMergeIsCommittedOnlyWithoutConflicts) {
  git({"checkout", "-q", "-b", "side"});
  put(root / "a.txt", "side\n");
  commit("Side");
  git({"checkout", "-q", "main"});
  put(root / "a.txt", "main\n");
  commit("Main");
  ASSERT_NE(run_git(root, {"merge", "side"}).code, 0);
  auto box = repositories();
  EXPECT_THAT(box.sync(place, "Too early").error().message, HasSubstr("conflict"));
  put(root / "a.txt", "both\n");
  git({"add", "a.txt"});
  ASSERT_TRUE(sync("Merged").hash);
  EXPECT_EQ(git({"rev-parse", "HEAD^2"}), git({"rev-parse", "side"}));
  EXPECT_THAT(git({"status"}), Not(HasSubstr("merg")));
}

TEST_F(ExplorerSync, ARebaseInProgressIsRefused) {
  git({"checkout", "-q", "-b", "side"});
  put(root / "a.txt", "side\n");
  commit("Side");
  git({"checkout", "-q", "main"});
  put(root / "a.txt", "main\n");
  commit("Main");
  ASSERT_NE(run_git(root, {"rebase", "side"}).code, 0);
  auto box = repositories();
  EXPECT_EQ(box.sync(place, "x").error().kind, web::Kind::conflict);
}

TEST_F(ExplorerSync, NoHookRuns) {
  const auto bare = make_bare("remote.git");
  git({"remote", "add", "origin", bare.string()});
  const auto proof = scratch.path() / "ran";
  for (const auto& folder : {root / ".git/hooks", bare / "hooks", scratch.path() / "hooks"}) {
    for (const auto* name : {"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-push", "pre-receive",
                             "update", "post-receive", "post-update", "reference-transaction", "post-index-change"}) {
      put(folder / name, "#!/bin/sh\ntouch " + proof.string() + "\nexit 1\n");
      fs::permissions(folder / name, fs::perms(0755));
    }
  }
  git({"config", "core.hooksPath", (scratch.path() / "hooks").string()});
  put(root / "a.txt", "changed");
  EXPECT_TRUE(sync().is_pushed);
  EXPECT_FALSE(fs::exists(proof));
}

TEST_F(ExplorerSync, UnsupportedRemotesAreNotTried) {
  const auto proof = scratch.path() / "ran";
  git({"remote", "add", "origin", "placeholder"});
  for (const auto& url : {std::string("git@127.0.0.1:x.git"), std::string("ssh://127.0.0.1/x.git"),
                          std::string("git://127.0.0.1/x.git"), "ext::sh -c touch% " + proof.string(),
                          std::string("-oProxyCommand=touch"), std::string("https://"), std::string("http://:80/x")}) {
    git({"config", "remote.origin.url", url});
    put(root / "a.txt", url);
    const auto synced = sync();
    EXPECT_TRUE(synced.hash) << url;
    EXPECT_FALSE(synced.is_pushed) << url;
  }
  EXPECT_FALSE(fs::exists(proof));
}

TEST_F(ExplorerSync, AMissingFolderIsReported) {
  git({"remote", "add", "origin", "/absent/none.git"});
  put(root / "a.txt", "changed");
  EXPECT_EQ(sync().message, "Committed, not pushed: The remote is a folder that does not exist: /absent/none.git");
}

TEST_F(ExplorerSync, ALockedIndexIsATemporaryConflict) {
  put(root / "a.txt", "changed");
  put(root / ".git/index.lock", "");
  auto box = repositories();
  const auto refused = box.sync(place, "x").error();
  EXPECT_EQ(refused.kind, web::Kind::conflict);
  EXPECT_THAT(refused.message, HasSubstr("index"));
  fs::remove(root / ".git/index.lock");
  EXPECT_TRUE(sync().hash);
}

TEST_F(ExplorerSync, ASilentRemoteTimesOut) {
  const auto known = [](const explorer::Origin&) {
    return git::Credential{.user = "git", .secret = "x", .host_keys = {}};
  };
  git({"remote", "add", "origin", "placeholder"});
  for (const auto* scheme : {"http", "https", "ssh"}) {
    Mute mute;
    git({"remote", "set-url", "origin", mute.url(scheme)});
    put(root / "a.txt", scheme);
    auto box = repositories(std::chrono::milliseconds(300), known);
    const auto synced = box.sync(place, "x");
    ASSERT_TRUE(synced);
    EXPECT_TRUE(synced->hash);
    EXPECT_THAT(synced->message, HasSubstr("did not answer in time")) << scheme;
  }
}

TEST_F(ExplorerSync, ConcurrentSyncsOfOneFolderAreSerialised) {
  Mute mute;
  git({"remote", "add", "origin", mute.url()});
  put(root / "a.txt", "changed");
  auto box = repositories(std::chrono::hours(1));
  auto first = std::async(std::launch::async, [&] { return box.sync(place, "First"); });
  mute.wait_for_client();  // the first has committed and is pushing
  put(root / "a.txt", "changed again");
  EXPECT_EQ(box.sync(place, "Second").error().kind, web::Kind::conflict);
  EXPECT_TRUE(box.status(place)) << "looking is free";
  box.cancel_remotes();
  EXPECT_FALSE(first.get()->is_pushed);
  EXPECT_TRUE(box.sync(place, "Second")->hash) << "the turn was given back";
}

// What an agent may put into its workspace

class WorkspaceSync : public ExplorerSync {
 protected:
  void expect_refused(const std::string& why) {
    auto box = repositories();
    const auto status = box.status(workspace);
    EXPECT_TRUE(!status || !*status) << why;
    EXPECT_FALSE(box.sync(workspace, "x")) << why;
    EXPECT_FALSE(box.log(workspace, 1)) << why;
  }
};

TEST_F(WorkspaceSync, IsCommittedForItsOwner) {
  put(root / "a.txt", "changed");
  const uid_t agent = ::geteuid() == 0 ? 54'321 : ::geteuid();
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    ASSERT_EQ(::lchown(entry.path().c_str(), agent, ::getegid()), 0);
  }
  ASSERT_EQ(::chown(root.c_str(), agent, ::getegid()), 0);
  fs::permissions(root, fs::perms(0700));
  auto box = repositories();
  const auto synced = box.sync(workspace, "For the agent");
  ASSERT_TRUE(synced) << synced.error().message;
  EXPECT_EQ(git({"rev-parse", "main"}), *synced->hash + "\n");
  for (const auto& entry : fs::recursive_directory_iterator(root / ".git")) {
    struct stat info {};
    ASSERT_EQ(::lstat(entry.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, agent) << entry.path();
  }
}

TEST_F(WorkspaceSync, DoesNotReachTheRepositoryOfAnotherAgent) {
  const auto other = scratch.path() / "other";
  fs::rename(root, other);
  fs::create_directories(root);
  put(root / ".git", "gitdir: " + (other / ".git").string() + "\n");
  expect_refused("gitdir");
  fs::remove(root / ".git");
  fs::create_directory_symlink(other / ".git", root / ".git");
  expect_refused("link");
  fs::remove(root / ".git");
  git({"init", "-q"});
  put(root / ".git/commondir", (other / ".git").string() + "\n");
  expect_refused("commondir");
  fs::remove(root / ".git/commondir");
  git({"config", "core.worktree", other.string()});
  expect_refused("core.worktree");
  git({"config", "--unset", "core.worktree"});
  put(root / ".git/objects/info/alternates", (other / ".git/objects").string() + "\n");
  expect_refused("alternates");
  fs::remove(root / ".git/objects/info/alternates");
  EXPECT_TRUE(repositories().status(workspace)->has_value()) << "by itself it is fine";
}

TEST_F(WorkspaceSync, DoesNotPushToFoldersOrPrivateAddresses) {
  const auto bare = make_bare("remote.git");
  Mute mute;
  git({"remote", "add", "origin", "placeholder"});
  for (const auto& url : {bare.string(), "file://" + bare.string(), std::string("../../remote.git"), mute.url(),
                          std::string("http://localhost:1/x.git"), std::string("http://[::1]:1/x.git"),
                          std::string("http://169.254.169.254/x.git"), std::string("http://0x7f.1/x.git")}) {
    git({"remote", "set-url", "origin", url});
    put(root / "a.txt", url);
    auto box = repositories();
    const auto synced = box.sync(workspace, "x");
    ASSERT_TRUE(synced) << synced.error().message;
    EXPECT_TRUE(synced->hash);
    EXPECT_FALSE(synced->is_pushed) << url;
    EXPECT_THAT(synced->message, testing::AnyOf(HasSubstr("http, https or ssh only"), HasSubstr("no public address")));
  }
  EXPECT_EQ(git(bare, {"for-each-ref"}), "");
}

}  // namespace explorer_sync_test
