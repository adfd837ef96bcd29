// The box's accounts at git hosts: what is taken, what is kept, and that nothing of it lies there in clear.
#include "appliance/files/explorer/git_hosts.h"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include "appliance/files/explorer/ssh_key.h"
#include "tests/files/explorer_fixture.h"
#include "tests/support/temporary_folder.h"

namespace git_hosts_test {

using explorer::Account;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string fingerprint = "SHA256:" + std::string(43, 'a');

// A new one in PEM, as openssl genpkey writes it.
std::string new_key() {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"),
                                                                EVP_PKEY_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_PrivateKey(text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(text.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

const std::string open_key = new_key();
// As ssh-keygen writes them; of the key itself only the beginning.
const std::string cut_key =
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n"
    "-----END OPENSSH PRIVATE KEY-----\n";
const std::string locked_key =
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABDq0YkL4b\n"
    "-----END OPENSSH PRIVATE KEY-----\n";

TEST(SshKeys, AreAcceptedWholeAndWithoutAPassphrase) {
  EXPECT_FALSE(explorer::problem_of_ssh_key(open_key));
  for (const auto& broken : {cut_key, std::string("-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----\n")})
    EXPECT_THAT(explorer::problem_of_ssh_key(broken).value(), HasSubstr("whole private key")) << broken;
  for (const auto& locked :
       {locked_key, std::string("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMC4=\n-----END ENCRYPTED PRIVATE KEY-----\n"),
        std::string("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nMC4=\n-----END RSA PRIVATE KEY-----\n")})
    EXPECT_THAT(explorer::problem_of_ssh_key(locked).value(), HasSubstr("passphrase")) << locked;
  for (const auto& wrong : {std::string(), std::string("ssh-ed25519 AAAA box"), std::string("hunter2"),
                            std::string("-----BEGIN CERTIFICATE-----\nMC4=\n-----END CERTIFICATE-----\n")})
    EXPECT_THAT(explorer::problem_of_ssh_key(wrong).value(), HasSubstr("must be a private key")) << wrong;
}

TEST(HostKeys, AreFingerprints) {
  EXPECT_TRUE(explorer::is_host_key_fingerprint(fingerprint));
  for (const auto& wrong : {fingerprint + "=", fingerprint.substr(1), "MD5:" + fingerprint, fingerprint.substr(0, 20),
                            "SHA256:" + std::string(43, '-')})
    EXPECT_FALSE(explorer::is_host_key_fingerprint(wrong)) << wrong;
}

class GitHosts : public testing::Test {
 protected:
  explorer::GitHostChange change(const std::string& url, std::optional<std::string> secret,
                                 std::optional<std::vector<std::string>> host_keys = {}) const {
    return {.account = Account::parse(url).value(), .secret = std::move(secret), .host_keys = std::move(host_keys)};
  }
  std::string refusal(explorer::GitHostChange wanted) {
    const auto set = test_support::await(hosts.put(std::move(wanted)));
    return set ? "none" : set.error().message;
  }

  test_support::TemporaryFolder scratch;
  std::unique_ptr<store::Store> store = store::Store::open({.folder = scratch.path() / "store",
                                                            .master_key = std::string(32, 'k'),
                                                            .tables = {store::describe(explorer::git_hosts)},
                                                            .migrations = {}});
  explorer::GitHosts hosts{store->system()};
};

TEST_F(GitHosts, AnAccountIsUsedForItsOwnHostOnly) {
  ASSERT_TRUE(test_support::await(hosts.put(change("ssh://git@Host", open_key, std::vector{fingerprint}))));
  ASSERT_TRUE(test_support::await(hosts.put(change("https://box@host", "token"))));
  const auto ssh = hosts.find({.scheme = "ssh", .host = "host", .port = 22});
  ASSERT_TRUE(ssh);
  EXPECT_EQ(ssh->user, "git");
  EXPECT_EQ(ssh->secret, open_key);
  EXPECT_THAT(ssh->host_keys, ElementsAre(fingerprint));
  EXPECT_EQ(hosts.find({.scheme = "https", .host = "host", .port = 443})->secret, "token");
  EXPECT_FALSE(hosts.find({.scheme = "http", .host = "host", .port = 443}));
  EXPECT_FALSE(hosts.find({.scheme = "ssh", .host = "host", .port = 23}));
  EXPECT_EQ(hosts.list().size(), 2u);
}

TEST_F(GitHosts, OmittedFieldsStayUnchanged) {
  ASSERT_TRUE(test_support::await(hosts.put(change("ssh://git@host", open_key))));
  ASSERT_TRUE(test_support::await(hosts.put(change("ssh://other@host", std::nullopt, std::vector{fingerprint}))));
  const auto kept = hosts.find({.scheme = "ssh", .host = "host", .port = 22});
  EXPECT_EQ(kept->user, "other");
  EXPECT_EQ(kept->secret, open_key);
  ASSERT_TRUE(test_support::await(hosts.put(change("ssh://other@host", std::nullopt, std::vector<std::string>{}))));
  EXPECT_THAT(hosts.find({.scheme = "ssh", .host = "host", .port = 22})->host_keys, testing::IsEmpty());
  EXPECT_TRUE(test_support::await(hosts.remove("ssh://host:22")));
  EXPECT_FALSE(test_support::await(hosts.remove("ssh://host:22")));
  EXPECT_FALSE(hosts.find({.scheme = "ssh", .host = "host", .port = 22}));
}

TEST_F(GitHosts, InvalidCredentialsAreRefused) {
  EXPECT_THAT(refusal(change("https://box@host", std::nullopt)), HasSubstr("secret is required"));
  EXPECT_THAT(refusal(change("https://box@host", "two\nlines")), HasSubstr("one line"));
  EXPECT_THAT(refusal(change("https://box@host", "token", std::vector{fingerprint})), HasSubstr("for ssh hosts"));
  EXPECT_THAT(refusal(change("ssh://git@host", "token")), HasSubstr("private key"));
  EXPECT_THAT(refusal(change("ssh://git@host", open_key, std::vector<std::string>{"SHA256:short"})),
              HasSubstr("fingerprints"));
  EXPECT_THAT(hosts.list(), testing::IsEmpty());
}

TEST_F(GitHosts, SecretsAreStoredSealed) {
  ASSERT_TRUE(test_support::await(hosts.put(change("https://box@host", "a-token-in-clear"))));
  store.reset();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_THAT(explorer_tests::content_of(entry.path()), testing::Not(HasSubstr("a-token-in-clear"))) << entry.path();
  }
}

}  // namespace git_hosts_test
