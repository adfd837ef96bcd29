// Requests that add a credential, in a race with the end of all sessions and with an account claim: no credential is
// left behind.
#include "appliance/access/epochs.h"

#include "appliance/foundation/crypto/totp.h"
#include "appliance/identity/identities/identities.h"
#include "appliance/identity/second_factor/second_factor.h"
#include "appliance/models/provider_keys.h"
#include "tests/identity/authenticator.h"
#include "tests/identity/people_fixture.h"

namespace credential_epoch_test {

class CredentialEpoch : public people_tests::People {
 protected:
  // As models::Module subscribes to claims.
  CredentialEpoch() {
    events.account_claim.subscribe(
        [this](store::UserId user, store::Change& change) { models::ProviderKeys::remove_all(system, user, change); });
  }

  struct Way {
    std::string name;
    std::function<web::Result<void>(const web::Caller&)> take;
    std::function<bool(store::UserId)> is_there;
    bool survives_claims = false;
  };

  template <class T>
  static web::Result<void> outcome_of(const web::Result<T>& result) {
    if (!result) return result.error();
    return {};
  }
  web::Result<void> take_passkey(const web::Caller& caller) {
    const auto options = factor.passkeys().creation_options(*accounts.find(caller.user_id)).value();
    const authenticator_tests::Authenticator authenticator;
    auto made = authenticator.create(crypto::from_base64url(options.challenge).value());
    return outcome_of(run(factor.passkeys().add(caller, "key", std::move(made))));
  }
  // As Identities does it, between two looks at the user.
  web::Result<void> take_identity(const web::Caller& caller) {
    auto change = system.change();
    const auto granted = accounts::advance_credential_epoch(system, caller, change);
    if (!granted) return granted.error();
    const identities::Identity identity{.id = "idp:x squatter", .user_id = caller.user_id};
    change.insert(identities::identities, identity);
    EXPECT_TRUE(change.commit_blocking().ok());
    return {};
  }
  std::vector<Way> ways() {
    return {{"API key", [this](const auto& caller) { return outcome_of(run(keys.create(caller, "k", std::nullopt))); },
             [this](auto user) { return !keys.list(user).empty(); }},
            {"app", [this](const auto& caller) { return outcome_of(run(factor.begin_app(caller))); },
             [this](auto user) { return system.get(second_factor::factors, user).has_value(); }},
            {"passkey", [this](const auto& caller) { return take_passkey(caller); },
             [this](auto user) { return !factor.passkeys().list(user).empty(); }, true},
            {"provider key",
             [this](const auto& caller) { return outcome_of(run(provider_keys.put(caller, "openai", "sk-12345678"))); },
             [this](auto user) { return !provider_keys.list(user).empty(); }},
            {"identity", [this](const auto& caller) { return take_identity(caller); },
             [this](auto user) { return !identities.of_user(user).empty(); }}};
  }

  agentbox::Site site{"https://box.example.org"};
  security::ReplayGuard replay_guard{system};
  second_factor::SecondFactor factor{system, site, replay_guard, "key", false};
  models::ProviderKeys provider_keys{system};
  identities::Identities identities{system, accounts, keys, events};
};

TEST_F(CredentialEpoch, AUserSignedOutAfterTheGuardGetsNothing) {
  const auto user = register_as("ada@example.org").value();
  const auto stranger = caller(register_as("eve@example.org").value());
  for (const auto& way : ways()) {
    const auto late = caller(user);
    run(sessions.end_all(user.id));
    EXPECT_EQ(way.take(late).error().kind, web::Kind::unauthenticated) << way.name;
    EXPECT_FALSE(way.is_there(user.id)) << way.name;
    const web::Caller others{.user_id = user.id, .credential = stranger.credential};
    EXPECT_FALSE(way.take(others)) << way.name << ": the session of another user";
    EXPECT_TRUE(way.take(caller(*accounts.find(user.id)))) << way.name << ": a new session may";
    EXPECT_TRUE(way.is_there(user.id)) << way.name;
  }
}

TEST_F(CredentialEpoch, AUserSignedOutBeforeTheCommitGetsNothing) {
  const auto user = register_as("ada@example.org").value();
  const auto granted = [&](const std::function<void(const web::Caller&)>& meanwhile) {
    const auto who = caller(*accounts.find(user.id));
    auto change = system.change();
    EXPECT_TRUE(accounts::advance_credential_epoch(system, who, change));
    meanwhile(who);
    return change.commit_blocking().kind;
  };
  using enum store::Outcome::Kind;
  EXPECT_EQ(granted([](const auto&) {}), committed);
  EXPECT_EQ(granted([&](const auto&) { run(sessions.end_all(user.id)); }), stale);
  EXPECT_EQ(granted([&](const auto& who) { run(sessions.end(who.credential)); }), stale);
  EXPECT_EQ(
      granted([&](const auto&) {
        ASSERT_TRUE(run(accounts.change_as_admin(user.id, {.password = {}, .is_admin = {}, .is_disabled = true})));
      }),
      stale);
}

TEST_F(CredentialEpoch, TheSessionThatAPasswordChangeKeepsStaysValid) {
  const auto user = register_as("ada@example.org").value();
  const auto kept = caller(user), other = caller(user);
  ASSERT_TRUE(run(accounts.change_password(user.id, kept.credential, "correct horse battery", "a password by hand")));
  EXPECT_TRUE(run(keys.create(kept, "k", std::nullopt)));
  EXPECT_FALSE(run(keys.create(other, "k", std::nullopt)));
}

TEST_F(CredentialEpoch, AnAppIsConfirmedAndCodesAreRenewedByLiveSessionsOnly) {
  const auto user = register_as("ada@example.org").value();
  ASSERT_TRUE(run(factor.begin_app(caller(user))));
  const std::string secret = system.get(second_factor::factors, user.id)->value.secret.clear;
  const std::string code = crypto::totp(secret, crypto::totp_step(std::chrono::system_clock::now()));
  const auto late = caller(user);
  run(sessions.end_all(user.id));
  EXPECT_EQ(run(factor.confirm_app(late, code)).error().kind, web::Kind::unauthenticated);
  EXPECT_FALSE(factor.is_on(user.id));
  EXPECT_TRUE(run(factor.confirm_app(caller(*accounts.find(user.id)), code))) << "the code is not spent";
  EXPECT_EQ(run(factor.renew_recovery_codes(late)).error().kind, web::Kind::unauthenticated);
  EXPECT_TRUE(run(factor.renew_recovery_codes(caller(*accounts.find(user.id)))));
}

TEST_F(CredentialEpoch, AClaimRemovesCredentialsAddedConcurrently) {
  for (const auto& way : ways()) {
    const auto squatter = register_as(way.name.substr(0, 3) + "@example.org").value();
    const auto signed_in = caller(squatter);
    int tries = 0;
    // Everything that the squatter holds has been looked for when one more is taken, and nothing is committed yet.
    const accounts::Accounts::Also also = [&](const accounts::User& before, store::Change& change) {
      identities.claim(before, change);
      if (++tries == 1) {
        EXPECT_TRUE(way.take(signed_in)) << way.name;
      }
      return web::Result<void>();
    };
    const auto owner = run(accounts.claim(squatter, also)).value();
    EXPECT_EQ(tries, 2) << way.name;
    EXPECT_TRUE(owner.email_verified && owner.password_hash.empty()) << way.name;
    EXPECT_EQ(way.is_there(owner.id), way.survives_claims) << way.name;
    EXPECT_EQ(way.take(signed_in).error().kind, web::Kind::unauthenticated) << way.name << ": and not afterwards";
    EXPECT_EQ(way.is_there(owner.id), way.survives_claims) << way.name;
  }
}

}  // namespace credential_epoch_test
