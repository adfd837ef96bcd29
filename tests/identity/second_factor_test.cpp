#include "appliance/identity/second_factor/second_factor.h"

#include <gtest/gtest.h>

#include "appliance/identity/identities/identities.h"
#include "tests/identity/authenticator.h"
#include "tests/identity/people_fixture.h"

namespace second_factor_test {

using authenticator_tests::Authenticator;
using second_factor::Purpose;
using namespace std::chrono_literals;

class SecondFactor : public people_tests::People {
 protected:
  // An authenticator registered with this box.
  static Authenticator authenticator() {
    Authenticator made;
    made.counter = 0;
    return made;
  }
  web::Caller session_of(store::UserId user) { return caller(*accounts.find(user)); }
  store::UserId person(std::string email) { return register_as(std::move(email)).value().id; }

  std::string creation_challenge(store::UserId user) {
    const auto options = factor.passkeys().creation_options(*accounts.find(user)).value();
    return crypto::from_base64url(options.challenge).value();
  }
  std::string request_challenge(store::UserId user, Purpose purpose) {
    return crypto::from_base64url(factor.passkeys().request_options(user, purpose)->challenge).value();
  }
  web::Result<second_factor::Passkeys::Added> add(store::UserId user, const Authenticator& with) {
    return run(factor.passkeys().add(session_of(user), "key", with.create(creation_challenge(user))));
  }
  web::Result<void> check(store::UserId user, webauthn::Asserted given, Purpose purpose = Purpose::sign_in) {
    second_factor::Proof proof{.code = std::nullopt, .passkey = std::move(given)};
    return run(factor.check(user, std::move(proof), purpose));
  }
  web::Result<void> check(store::UserId user, std::string code) {
    second_factor::Proof proof{.code = web::Text<1, 32>(std::move(code)), .passkey = std::nullopt};
    return run(factor.check(user, std::move(proof), Purpose::sign_in));
  }

  agentbox::Site site{"https://box.example.org"};
  security::ReplayGuard replay_guard{system};
  second_factor::SecondFactor factor{system, site, replay_guard, "key", false};
};

TEST_F(SecondFactor, APasskeyIsASecondFactorAndComesWithRecoveryCodes) {
  const auto ada = person("ada@example.org");
  EXPECT_FALSE(factor.is_on(ada));
  EXPECT_FALSE(factor.passkeys().request_options(ada, Purpose::sign_in));
  const auto key = authenticator();
  const auto added = add(ada, key).value();
  EXPECT_EQ(added.recovery_codes.size(), 10u);
  EXPECT_TRUE(factor.is_on(ada));
  EXPECT_TRUE(add(ada, authenticator())->recovery_codes.empty()) << "the first codes stay valid";
  const auto asked = factor.passkeys().request_options(ada, Purpose::sign_in);
  ASSERT_EQ(asked->allowCredentials.size(), 2u);
  EXPECT_EQ(asked->allowCredentials[0].id, crypto::to_base64url(key.id));
  EXPECT_EQ(asked->rpId, "box.example.org");
  EXPECT_TRUE(check(ada, added.recovery_codes[0]));
  EXPECT_FALSE(check(ada, added.recovery_codes[0])) << "once";
  EXPECT_FALSE(check(ada, "")) << "no app, no password of it";
}

TEST_F(SecondFactor, AnAssertionIsAcceptedOnceForItsUserAndPurpose) {
  const auto ada = person("ada@example.org"), eve = person("eve@example.org");
  const auto adas = authenticator(), eves = authenticator();
  ASSERT_TRUE(add(ada, adas));
  ASSERT_TRUE(add(eve, eves));
  const auto given = adas.get(request_challenge(ada, Purpose::sign_in));
  EXPECT_FALSE(check(eve, given)) << "a passkey of another user";
  EXPECT_FALSE(check(ada, given, Purpose::change)) << "a challenge for another purpose";
  EXPECT_FALSE(check(ada, eves.get(request_challenge(ada, Purpose::sign_in))));
  EXPECT_FALSE(check(ada, adas.get(request_challenge(eve, Purpose::sign_in)))) << "a challenge of another user";
  EXPECT_FALSE(check(ada, adas.get(creation_challenge(ada))));
  EXPECT_TRUE(check(ada, given)) << "none of these spent the challenge";
  EXPECT_FALSE(check(ada, given));
  EXPECT_TRUE(factor.passkeys().list(ada)[0].last_used_at);
}

TEST_F(SecondFactor, ConcurrentlyAnAssertionIsAcceptedOnce) {
  const auto ada = person("ada@example.org");
  const auto key = authenticator();
  ASSERT_TRUE(add(ada, key));
  const auto given = key.get(request_challenge(ada, Purpose::sign_in));
  boost::asio::io_context io;
  int accepted = 0, refused = 0;
  for (int i = 0; i < 5; ++i)
    boost::asio::co_spawn(io, factor.passkeys().check(ada, given, Purpose::sign_in),
                          [&](std::exception_ptr failure, web::Result<void> checked) {
                            if (failure) std::rethrow_exception(failure);
                            ++(checked ? accepted : refused);
                          });
  io.run();
  EXPECT_EQ(accepted, 1);
  EXPECT_EQ(refused, 4);
}

TEST_F(SecondFactor, ACopiedPasskeyIsRefusedOnceTheCopyWasUsed) {
  const auto ada = person("ada@example.org");
  auto key = authenticator();
  key.counter = 10;
  ASSERT_TRUE(add(ada, key));
  auto copy = key;
  key.counter = 12;
  EXPECT_TRUE(check(ada, key.get(request_challenge(ada, Purpose::sign_in))));
  copy.counter = 11;
  EXPECT_NE(check(ada, copy.get(request_challenge(ada, Purpose::sign_in))).error().message.find("copy"),
            std::string::npos);
  EXPECT_EQ(factor.passkeys().list(ada)[0].sign_count, 12);
}

TEST_F(SecondFactor, ARegistrationIsAcceptedOnceForItsUser) {
  const auto ada = person("ada@example.org"), eve = person("eve@example.org");
  const auto key = authenticator();
  const auto made = key.create(creation_challenge(ada));
  EXPECT_FALSE(run(factor.passkeys().add(session_of(eve), "key", made)));
  ASSERT_TRUE(run(factor.passkeys().add(session_of(ada), "key", made)));
  EXPECT_FALSE(run(factor.passkeys().add(session_of(ada), "key", made)));
  EXPECT_EQ(add(eve, key).error().kind, web::Kind::conflict) << "an id has one user";
  EXPECT_EQ(add(ada, key).error().kind, web::Kind::conflict);
  EXPECT_FALSE(factor.is_on(eve));
  EXPECT_EQ(factor.state(ada).passkeys, 1);
}

TEST_F(SecondFactor, AUserHasTwentyPasskeysAtMost) {
  const auto ada = person("ada@example.org");
  for (int i = 0; i < second_factor::passkeys_per_user; ++i) ASSERT_TRUE(add(ada, authenticator())) << i;
  EXPECT_EQ(add(ada, authenticator()).error().kind, web::Kind::too_many);
  EXPECT_EQ(factor.passkeys().list(ada).size(), 20u);
}

TEST_F(SecondFactor, RecoveryCodesAreRemovedWithTheLastFactor) {
  const auto ada = person("ada@example.org"), eve = person("eve@example.org");
  const auto added = add(ada, authenticator()).value();
  const auto second = add(ada, authenticator()).value();
  EXPECT_EQ(run(factor.passkeys().remove(eve, added.passkey.id)).error().kind, web::Kind::not_found);
  EXPECT_EQ(run(factor.passkeys().rename(eve, added.passkey.id, "mine")).error().kind, web::Kind::not_found);
  EXPECT_EQ(run(factor.passkeys().rename(ada, added.passkey.id, "phone"))->name, "phone");
  ASSERT_TRUE(run(factor.passkeys().remove(ada, added.passkey.id)));
  EXPECT_EQ(run(factor.passkeys().remove(ada, added.passkey.id)).error().kind, web::Kind::not_found);
  EXPECT_TRUE(factor.is_on(ada));
  EXPECT_EQ(factor.state(ada).recovery_codes, 10u);
  ASSERT_TRUE(run(factor.passkeys().remove(ada, second.passkey.id)));
  EXPECT_FALSE(factor.is_on(ada));
  EXPECT_FALSE(check(ada, added.recovery_codes[0]));
}

TEST_F(SecondFactor, RemovingTheFactorRemovesEverything) {
  const auto ada = person("ada@example.org");
  const auto key = authenticator();
  ASSERT_TRUE(add(ada, key));
  ASSERT_TRUE(run(factor.begin_app(session_of(ada))));
  run(factor.remove(ada));
  EXPECT_FALSE(factor.is_on(ada));
  EXPECT_TRUE(factor.passkeys().list(ada).empty());
  EXPECT_EQ(add(ada, key)->recovery_codes.size(), 10u) << "the passkey can be registered again";
}

// A reader of the mailbox can have its address verified elsewhere.
TEST_F(SecondFactor, AnAccountClaimKeepsTheSecondFactor) {
  const auto squatter = person("ada@example.org");
  const auto key = authenticator();
  const auto codes = add(squatter, key)->recovery_codes;
  ASSERT_TRUE(run(factor.begin_app(session_of(squatter))));
  identities::Identities identities{system, accounts, keys, events};
  identities::VerifiedIdentity identity{.id = "idp:ada", .email = "ada@example.org", .is_email_verified = true};
  EXPECT_EQ(run(identities.sign_in(identity, identities.session_epoch()))->id, squatter);
  EXPECT_TRUE(factor.is_on(squatter));
  EXPECT_TRUE(check(squatter, key.get(request_challenge(squatter, Purpose::sign_in))));
  EXPECT_TRUE(check(squatter, codes[0]));
  EXPECT_TRUE(system.get(second_factor::factors, squatter)->value.secret.clear.empty())
      << "an app that was not confirmed is not a factor yet";
}

TEST_F(SecondFactor, WrongCodesAreFollowedByGrowingDelaysThatOnlyARightOneEnds) {
  second_factor::SecondFactor limited(system, site, replay_guard, "key", true);
  std::vector<unsigned> reports;
  limited.report_guesses_to([&](store::UserId, unsigned failures) -> web::Task<> {
    reports.push_back(failures);
    co_return;
  });
  const auto ada = person("ada@example.org");
  const auto codes = add(ada, authenticator())->recovery_codes;
  const auto guess = [&](std::string code) {
    second_factor::Proof proof{.code = web::Text<1, 32>(std::move(code)), .passkey = std::nullopt};
    return run(limited.check(ada, std::move(proof), Purpose::sign_in));
  };
  for (int i = 0; i < 9; ++i) EXPECT_EQ(guess("wrong").error().kind, web::Kind::unauthenticated);
  EXPECT_TRUE(guess(codes[0]));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(guess("wrong").error().kind, web::Kind::unauthenticated);
  EXPECT_TRUE(log_in("ada@example.org", "correct horse battery"));
  const auto refused = guess(codes[1]).error();
  EXPECT_EQ(refused.kind, web::Kind::too_many);
  EXPECT_EQ(refused.extra.at("rateLimit").at("reset").as_int64(), 30);
  EXPECT_EQ(reports, std::vector<unsigned>{10});
  limited.unlock(ada);
  EXPECT_TRUE(guess(codes[1]));
}

TEST_F(SecondFactor, AChallengeIsValidForFiveMinutesOnThisBoxOnly) {
  second_factor::Challenges challenges("key", replay_guard), others("another key", replay_guard);
  const auto now = store::now();
  const auto issued = challenges.issue(Purpose::sign_in, 1, now);
  EXPECT_EQ(issued.size(), 32u);
  EXPECT_TRUE(challenges.valid_until(issued, Purpose::sign_in, 1, now + 5min - 1ms));
  EXPECT_FALSE(challenges.valid_until(issued, Purpose::sign_in, 1, now + 5min));
  EXPECT_FALSE(challenges.valid_until(issued, Purpose::sign_in, 2, now));
  EXPECT_FALSE(challenges.valid_until(issued, Purpose::add, 1, now));
  EXPECT_FALSE(others.valid_until(issued, Purpose::sign_in, 1, now));
  for (std::size_t bit = 0; bit < issued.size() * 8; ++bit) {
    std::string touched = issued;
    touched[bit / 8] = static_cast<char>(touched[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(challenges.valid_until(touched, Purpose::sign_in, 1, now)) << bit;
  }
  EXPECT_TRUE(run(challenges.use(issued, Purpose::sign_in, 1, now)));
  EXPECT_FALSE(run(challenges.use(issued, Purpose::sign_in, 1, now)));
}

TEST_F(SecondFactor, PasskeysNeedADomainName) {
  const auto ada = person("ada@example.org");
  const auto offered = [&](const agentbox::Site& at) {
    second_factor::Passkeys passkeys(system, at, replay_guard, "key");
    const auto options = passkeys.creation_options(*accounts.find(ada));
    return options ? options->rp.id : "none";
  };
  EXPECT_EQ(offered(agentbox::Site("https://box.example.org:8443")), "box.example.org");
  EXPECT_EQ(offered(agentbox::Site("http://192.168.1.7:3000")), "none");
  EXPECT_EQ(offered(agentbox::Site("http://[::1]:3000")), "none");
  agentbox::Site here("");
  here.set_listener("http://127.0.0.1:3000");
  EXPECT_EQ(offered(here), "localhost");
  agentbox::Site everywhere("");
  everywhere.set_listener("http://0.0.0.0:3000");
  EXPECT_EQ(offered(everywhere), "none");
}

}  // namespace second_factor_test
