// Which remotes the box pushes to, and who gets its credentials.
#include "appliance/explorer/remotes.h"

#include "tests/appliance/explorer_fixture.h"

namespace {

using namespace explorer_tests;
using explorer::judge;
using explorer::parse_credentials;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(GitCredentials, AreUrlsOfHosts) {
  EXPECT_THAT(*parse_credentials(""), IsEmpty());
  const auto all = parse_credentials("https://box:a%40b%2Fc@Git.Example.org, http://u:p@[::1]:8080/ ,");
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ(all->at(0).scheme, "https");
  EXPECT_EQ(all->at(0).host, "git.example.org");
  EXPECT_EQ(all->at(0).port, 443);
  EXPECT_EQ(all->at(0).credential.user, "box");
  EXPECT_EQ(all->at(0).credential.password, "a@b/c");
  EXPECT_EQ(all->at(1).host, "::1");
  EXPECT_EQ(all->at(1).port, 8080);
  for (const auto* wrong :
       {"box:token", "https://git.example.org", "https://box@git.example.org", "ssh://u:p@host", "https://u:p@",
        "https://u:p@host/path", "https://u:p@host?query", "https://u:p@host:0", "https://u:p@host,nonsense"}) {
    EXPECT_FALSE(parse_credentials(wrong)) << wrong;
  }
}

class Judged : public ExplorerTest {
 protected:
  const std::vector<explorer::HostCredential> credentials = *parse_credentials("http://box:token@127.0.0.1:8080");
};

TEST_F(Judged, ACredentialGoesToItsSchemeHostAndPortAlone) {
  const auto own = judge("http://someone:else@127.0.0.1:8080/x.git", place, credentials);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->url, "http://127.0.0.1:8080/x.git") << "without the URL's own";
  EXPECT_EQ(own->credential->user, "box");
  for (const auto* url : {"https://127.0.0.1:8080/x.git", "http://127.0.0.1:8081/x.git", "http://127.0.0.1/x.git",
                          "http://localhost:8080/x.git", "http://127.0.0.1.:8080/x.git"}) {
    const auto other = judge(url, place, credentials);
    EXPECT_TRUE(!other || !other->credential) << url;
  }
}

TEST_F(Judged, AWorkspaceReachesPublicAddressesAndHostsTheBoxKnows) {
  EXPECT_TRUE(judge("http://127.0.0.1:8080/x.git", workspace, credentials));
  EXPECT_THAT(judge("http://127.0.0.1:8081/x.git", workspace, credentials).error().message,
              HasSubstr("no public address"));
  const auto open = judge("https://8.8.8.8/x.git", workspace, credentials);
  ASSERT_TRUE(open);
  EXPECT_EQ(open->route->host, "8.8.8.8");
  EXPECT_EQ(open->route->port, 443);
  EXPECT_FALSE(open->credential);
  EXPECT_TRUE(judge("http://127.0.0.1:8081/x.git", place, credentials)) << "the operator's own house";
}

TEST_F(Judged, FoldersAreTheOperatorsAlone) {
  const auto bare = make_bare("remote.git");
  EXPECT_EQ(judge("../../remote.git", place, {})->url, bare.string());
  EXPECT_FALSE(judge(bare.string(), place, {})->route);
  EXPECT_FALSE(judge(bare.string(), workspace, {}));
  EXPECT_FALSE(judge("file://" + bare.string(), workspace, {}));
  EXPECT_FALSE(judge("absent", place, {}));
  EXPECT_FALSE(judge("git@host:x.git", place, {}));
}

// The service: who is asked for where, and what it does when it ends.

class ExplorerService : public ExplorerTest {
 protected:
  explorer::Explorer box{{.root = root, .author = {.name = "Box", .email = "box@example.org"}, .credentials = {}},
                         [this](std::string_view agent) -> std::optional<fs::path> {
                           if (agent == "unknown") return std::nullopt;
                           return scratch.path / agent / "workspace";
                         }};
};

TEST_F(ExplorerService, LooksWhereItIsAsked) {
  put(root / "mine", "operator");
  put(scratch.path / "a" / "workspace" / "mine", "agent");
  EXPECT_EQ(testing_words::await(box.read(std::nullopt, "mine"))->content, "operator");
  EXPECT_EQ(testing_words::await(box.read("a", "mine"))->content, "agent");
  EXPECT_THAT(testing_words::await(box.read("unknown", "mine")).error().message, HasSubstr("Agent not found"));
  const auto early = testing_words::await(box.read("early", "mine")).error();
  EXPECT_EQ(early.kind, web::Kind::not_found);
  EXPECT_THAT(early.message, HasSubstr("no workspace yet"));
}

}  // namespace
