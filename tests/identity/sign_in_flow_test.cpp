#include <gtest/gtest.h>

#include "appliance/identity/identities/identities.h"
#include "appliance/identity/oauth/browser_flow.h"
#include "appliance/identity/oauth/handlers.h"
#include "appliance/identity/site.h"
#include "appliance/identity/wallet_sign_in/nonces.h"
#include "tests/identity/people_fixture.h"

namespace sign_in_flow_test {

using namespace std::chrono_literals;

class SignInFlow : public people_tests::People {
 protected:
  oauth::BrowserFlow flow(std::string key = "key", std::string name = "cookie") { return {key, name, replay_guard}; }
  static oauth::Browser browser(const web::Cookie& cookie) { return {.cookie = cookie.value}; }

  security::ReplayGuard replay_guard{system};
  identities::Identities identities{system, accounts, keys, events};
};

TEST_F(SignInFlow, ACallbackIsAcceptedOnceFromTheBrowserThatStarted) {
  auto requests = flow();
  const auto now = store::now();
  const auto begun = requests.begin({}, now);
  const auto callback = run(requests.finish(browser(begun.cookie), begun.state, now + 1min));
  ASSERT_TRUE(callback);
  EXPECT_EQ(callback->nonce, begun.nonce);
  EXPECT_FALSE(run(requests.finish(browser(begun.cookie), begun.state, now + 1min))) << "a second time";
}

TEST_F(SignInFlow, AnotherBrowserKeyOrProviderAndAnExpiredRequestAreRefused) {
  auto requests = flow(), other_key = flow("other"), other_provider = flow("key", "another");
  const auto now = store::now();
  const auto begun = requests.begin({}, now), others = requests.begin({}, now);
  EXPECT_FALSE(run(requests.finish({}, begun.state, now)));
  EXPECT_FALSE(run(requests.finish(browser(others.cookie), begun.state, now)));
  EXPECT_FALSE(run(other_key.finish(browser(begun.cookie), begun.state, now)));
  EXPECT_FALSE(run(other_provider.finish(browser(begun.cookie), begun.state, now)));
  EXPECT_FALSE(run(requests.finish(browser(begun.cookie), begun.state, now + oauth::request_lifetime)));
  for (std::size_t i = 0; i < begun.state.size(); ++i) {
    std::string wrong = begun.state;
    wrong[i] = wrong[i] == '0' ? '1' : '0';
    EXPECT_FALSE(run(requests.finish(browser(begun.cookie), wrong, now))) << i;
  }
  EXPECT_TRUE(run(requests.finish(browser(begun.cookie), begun.state, now))) << "none of these spent the state";
}

TEST_F(SignInFlow, TwoCookiesOfOneNameAreRefused) {
  const std::string once = "a=1; cookie=one", twice = once + "; cookie=two";
  EXPECT_EQ(oauth::browser_of(with_cookies(once), "cookie").cookie, "one");
  EXPECT_EQ(oauth::browser_of(with_cookies(twice), "cookie").cookie, "");
  EXPECT_EQ(oauth::browser_of(with_cookies(once), "other").cookie, "");
}

TEST_F(SignInFlow, ConcurrentRequestsOfOneBrowserCanAllBeFinished) {
  auto requests = flow();
  const auto now = store::now();
  const auto first = requests.begin({}, now);
  const auto second = requests.begin(browser(first.cookie), now);
  EXPECT_EQ(first.cookie.value, second.cookie.value);
  EXPECT_NE(first.nonce, second.nonce);
  EXPECT_TRUE(run(requests.finish(browser(second.cookie), first.state, now)));
  EXPECT_TRUE(run(requests.finish(browser(second.cookie), second.state, now)));
}

TEST_F(SignInFlow, ANonceIsValidForTenMinutesAndOneUse) {
  wallet_sign_in::Nonces nonces("key", replay_guard), others("other key", replay_guard);
  const auto now = store::now();
  const std::string nonce = nonces.issue(now);
  EXPECT_TRUE(nonces.valid_until(nonce, now + 9min));
  EXPECT_FALSE(nonces.valid_until(nonce, now + 10min));
  EXPECT_FALSE(others.valid_until(nonce, now));
  for (std::size_t i = 0; i < nonce.size(); ++i) {
    std::string wrong = nonce;
    wrong[i] = wrong[i] == '0' ? '1' : '0';
    EXPECT_FALSE(nonces.valid_until(wrong, now)) << i;
  }
  EXPECT_TRUE(run(nonces.use(nonce, now)));
  EXPECT_FALSE(run(nonces.use(nonce, now)));
  run(replay_guard.sweep(now + 11min));
  EXPECT_FALSE(run(nonces.use(nonce, now + 11min))) << "no longer stored, but expired";
}

// The user that a new identity is linked to.
TEST_F(SignInFlow, TheLinkingTable) {
  const auto enter = [&](std::string id, std::string email, bool is_verified) {
    return run(identities.sign_in({.id = std::move(id),
                                   .email = std::move(email),
                                   .is_email_verified = is_verified,
                                   .name = "N",
                                   .refresh_token = {}},
                                  identities.session_epoch()));
  };
  const auto ada = register_as("ada@example.org").value();
  const std::string session = People::sign_in(ada);
  EXPECT_EQ(enter("idp:x 1", "ada@example.org", false).error().kind, web::Kind::conflict);
  EXPECT_TRUE(session_of(session)) << "an unverified address changes nothing";
  EXPECT_EQ(enter("idp:x 2", "new@example.org", false).value().email, "new@example.org");
  EXPECT_FALSE(accounts.is_admin(enter("idp:x 3", "root@example.com", false).value())) << "a listed, unproved address";
  EXPECT_TRUE(accounts.is_admin(enter("idp:x 8", "root@example.com", true).value())) << "its owner";
  EXPECT_EQ(enter("idp:x 4", "x@wallet.app", true).error().kind, web::Kind::forbidden);
  EXPECT_EQ(enter("idp:x 5", "", true).error().kind, web::Kind::invalid);

  const auto owner = enter("idp:x 6", "ADA@example.org", true).value();
  EXPECT_EQ(owner.id, ada.id);
  EXPECT_TRUE(owner.email_verified && owner.password_hash.empty());
  EXPECT_FALSE(session_of(session)) << "the sessions of the unverified user have ended";
  EXPECT_EQ(enter("codehost:y 6", "ada@example.org", true).value().id, ada.id);
  EXPECT_EQ(identities.of_user(ada.id).size(), 2u) << "a verified account keeps its identities";

  const auto squatter = enter("idp:x 2", "ignored@example.org", true).value();
  const auto real = enter("idp:x 7", "new@example.org", true).value();
  EXPECT_EQ(real.id, squatter.id);
  EXPECT_FALSE(identities.find("idp:x 2")) << "the identity that squatted on the address is gone";

  const auto admin = register_admin();
  EXPECT_EQ(enter("idp:x 9", admin.email, true).value().password_hash, admin.password_hash);
}

TEST(Site, RecognisesItsOriginInEverySpelling) {
  const agentbox::Site site("https://Box.Example.org:443/path");
  EXPECT_EQ(site.origin(), "https://box.example.org");
  EXPECT_EQ(site.host(), "box.example.org");
  EXPECT_TRUE(site.is_ours("https://BOX.example.org"));
  for (const std::string_view foreign :
       {"http://box.example.org", "https://box.example.org:8443", "https://example.org",
        "https://box.example.org.evil.example", "https://box.example.org@evil.example", "//box.example.org",
        "box.example.org", "", "javascript:alert(1)"})
    EXPECT_FALSE(site.is_ours(foreign)) << foreign;
}

TEST(Site, WithoutABaseUrlItIsTheAddressOfTheListener) {
  agentbox::Site site("");
  site.set_listener("http://127.0.0.1:3000");
  EXPECT_TRUE(site.is_ours("http://127.0.0.1:3000"));
  EXPECT_TRUE(site.is_ours("http://localhost:3000"));
  EXPECT_FALSE(site.is_ours("http://localhost:3001"));
  EXPECT_FALSE(site.is_ours("https://localhost:3000"));
}

TEST(Site, PasskeysWorkWhereItHasAName) {
  const auto passkey_origin = [](std::string configured, std::string listener) {
    agentbox::Site site(std::move(configured));
    site.set_listener(std::move(listener));
    return site.passkey_origin();
  };
  EXPECT_EQ(passkey_origin("", "http://127.0.0.1:3000"), "http://localhost:3000");
  EXPECT_EQ(passkey_origin("", "http://192.0.2.1:3000"), "");
  EXPECT_EQ(passkey_origin("https://192.0.2.1", "http://127.0.0.1:3000"), "");
  EXPECT_EQ(passkey_origin("https://box.example.org/", "http://127.0.0.1:3000"), "https://box.example.org");
  agentbox::Site site("https://192.0.2.1");
  EXPECT_EQ(site.page_url("/login"), "https://192.0.2.1/login");
}

}  // namespace sign_in_flow_test
