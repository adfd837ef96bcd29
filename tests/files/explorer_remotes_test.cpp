// Which remotes the box pushes to, and who gets its credentials.
#include "appliance/files/explorer/remotes.h"

#include "appliance/files/explorer/git/ssh_session.h"

#include "tests/files/explorer_fixture.h"

namespace explorer_remotes_test {

using namespace explorer_tests;
using explorer::Account;
using explorer::RemoteUrl;
using explorer::resolve_destination;
using testing::HasSubstr;

TEST(GitAccounts, AreUsersAtHosts) {
  const auto account = Account::parse("https://b%40x@Git.Example.org");
  ASSERT_TRUE(account);
  EXPECT_EQ(account->origin.text(), "https://git.example.org:443");
  EXPECT_EQ(account->user, "b@x");
  EXPECT_EQ(Account::parse("ssh://git@[::1]/")->origin.text(), "ssh://[::1]:22");
  EXPECT_EQ(Account::parse("http://u@h:8080")->origin.port, 8080);
  for (const auto* wrong :
       {"", "box:token", "git@host", "https://git.example.org", "https://box:token@host", "ftp://u@h", "https://@host",
        "https://u@host/path", "https://u@host?query", "https://u@host#x", "https://u@host:0", "ssh://-o@host",
        "ssh://a%20b@host", "https://a%0ab@host"}) {
    EXPECT_FALSE(Account::parse(wrong)) << wrong;
  }
}

TEST(RemoteUrls, KeepTheirPathWithoutCredentials) {
  const auto read = [](const std::string& url) {
    const auto remote = RemoteUrl::parse(url);
    return remote ? remote->text() + " " + remote->ssh_path().value_or("-") : "none";
  };
  EXPECT_EQ(read("https://a:b@Host/x.git?y=1"), "https://host/x.git?y=1 -");
  EXPECT_EQ(read("https://host:443/x"), "https://host/x -");
  EXPECT_EQ(read("http://host:8080/x"), "http://host:8080/x -");
  EXPECT_EQ(read("ssh://git@host/~/x.git"), "ssh://host/~/x.git ~/x.git");
  EXPECT_EQ(read("SSH://host:2222/a%20b"), "ssh://host:2222/a%20b /a b");
  EXPECT_EQ(read("ssh://[::1]/it's"), "ssh://[::1]/it's /it's");
  EXPECT_EQ(read("git@Host:team/x.git"), "ssh://host/ team/x.git");
  EXPECT_EQ(read("host:/srv/x.git"), "ssh://host/ /srv/x.git");
  for (const auto* wrong :
       {"ssh://host", "ssh://host/", "ssh:///x", "git://host/x", "host:", "-oProxyCommand=x:y", "a b:x", "-o@host:x",
        "host:-x", "host:x\ny", "ssh://host/x%0ay", "ssh://host/x?y", "[::1]:x"}) {
    EXPECT_EQ(read(wrong), "none") << wrong;
  }
}

TEST(ShellQuoting, MakesOneArgumentOfAnyText) {
  EXPECT_EQ(git::shell_quoted("/srv/x.git"), "'/srv/x.git'");
  EXPECT_EQ(git::shell_quoted("it's $(id) `id`!"), "'it'\\''s $(id) `id`'\\!''");
}

class RemoteDestination : public ExplorerTest {
 protected:
  static std::optional<git::Credential> known(const explorer::Origin& origin) {
    if (origin.text() == "http://127.0.0.1:8080") return git::Credential{.user = "box", .secret = "token"};
    if (origin.text() == "ssh://127.0.0.1:22") return git::Credential{.user = "git", .secret = "key"};
    return std::nullopt;
  }
};

TEST_F(RemoteDestination, AnAccountIsForItsSchemeHostAndPortOnly) {
  const auto own = resolve_destination("http://someone:else@127.0.0.1:8080/x.git", place, known);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->url, "http://127.0.0.1:8080/x.git") << "without the URL's own";
  EXPECT_EQ(own->credential->user, "box");
  for (const auto* url : {"https://127.0.0.1:8080/x.git", "http://127.0.0.1:8081/x.git", "http://127.0.0.1/x.git",
                          "http://localhost:8080/x.git", "http://127.0.0.1.:8080/x.git"}) {
    const auto other = resolve_destination(url, place, known);
    EXPECT_TRUE(!other || !other->credential) << url;
  }
}

TEST_F(RemoteDestination, SshIsForHostsWhereTheBoxHasAKey) {
  for (const auto* url : {"ssh://somebody@127.0.0.1/x.git", "somebody@127.0.0.1:/x.git"}) {
    const auto own = resolve_destination(url, workspace, known);
    ASSERT_TRUE(own) << url;
    EXPECT_EQ(own->credential->user, "git") << "the box comes as who it is";
    EXPECT_EQ(own->ssh_path, "/x.git");
    EXPECT_EQ(own->route->port, 22);
  }
  for (const auto* url : {"ssh://git@127.0.0.1:23/x.git", "git@localhost:x.git"})
    EXPECT_THAT(resolve_destination(url, place, known).error().message, HasSubstr("has no key for ssh://")) << url;
}

TEST_F(RemoteDestination, AWorkspaceReachesPublicAddressesAndHostsTheBoxKnows) {
  EXPECT_TRUE(resolve_destination("http://127.0.0.1:8080/x.git", workspace, known));
  EXPECT_THAT(resolve_destination("http://127.0.0.1:8081/x.git", workspace, known).error().message,
              HasSubstr("no public address"));
  const auto open = resolve_destination("https://8.8.8.8/x.git", workspace, known);
  ASSERT_TRUE(open);
  EXPECT_EQ(open->route->host, "8.8.8.8");
  EXPECT_EQ(open->route->port, 443);
  EXPECT_FALSE(open->credential);
  EXPECT_TRUE(resolve_destination("http://127.0.0.1:8081/x.git", place, known)) << "the operator's own house";
}

TEST_F(RemoteDestination, FoldersAreForTheOperatorOnly) {
  const auto bare = make_bare("remote.git");
  EXPECT_EQ(resolve_destination("../../remote.git", place, nobody)->url, bare.string());
  EXPECT_FALSE(resolve_destination(bare.string(), place, nobody)->route);
  EXPECT_FALSE(resolve_destination(bare.string(), workspace, nobody));
  EXPECT_FALSE(resolve_destination("file://" + bare.string(), workspace, nobody));
  EXPECT_FALSE(resolve_destination("absent", place, nobody));
  EXPECT_FALSE(resolve_destination("git@host:x.git", place, nobody));
}

// The service: who is asked for where, and what it does when it ends.

class ExplorerService : public ExplorerTest {
 protected:
  explorer::Explorer box{
      {.root = root, .author = {.name = "Box", .email = "box@example.org"}, .find_credential = nobody},
      [this](std::string_view agent) -> std::optional<fs::path> {
        if (agent == "unknown") return std::nullopt;
        return scratch.path() / agent / "workspace";
      }};
};

TEST_F(ExplorerService, UsesTheRequestedFolder) {
  put(root / "mine", "operator");
  put(scratch.path() / "a" / "workspace" / "mine", "agent");
  EXPECT_EQ(test_support::await(box.read(std::nullopt, "mine"))->content, "operator");
  EXPECT_EQ(test_support::await(box.read("a", "mine"))->content, "agent");
  EXPECT_THAT(test_support::await(box.read("unknown", "mine")).error().message, HasSubstr("Agent not found"));
  const auto early = test_support::await(box.read("early", "mine")).error();
  EXPECT_EQ(early.kind, web::Kind::not_found);
  EXPECT_THAT(early.message, HasSubstr("no workspace yet"));
}

}  // namespace explorer_remotes_test
