// Password recovery: when a token is valid, and what one change does with it.
#include "appliance/identity/recovery/recovery.h"

#include "appliance/foundation/crypto/totp.h"
#include "tests/identity/people_fixture.h"

namespace recovery_test {

class Recovery : public people_tests::People {
 protected:
  // The token of the mail that follows a request.
  std::string token_for(const std::string& email) {
    run(recovery.request(email));
    run(recovery.work());
    const std::string body = outbox.list(1).front().body.clear;
    constexpr std::string_view mark = "/login?reset=";
    return body.substr(body.find(mark) + mark.size(), 43);
  }
  std::size_t mails() const { return outbox.list(100).size(); }
  web::Result<accounts::User> reset(std::string token, std::optional<std::string> code = {}) {
    second_factor::Proof proof;
    if (code) proof.code = web::Text<1, 32>(std::move(*code));
    return run(recovery.reset(std::move(token), "a password chosen by mail", std::move(proof)));
  }
  // The user's new recovery codes, with an app.
  std::vector<std::string> set_up_factor(const accounts::User& user) {
    EXPECT_TRUE(run(factor.begin_app(caller(user))));
    const std::string secret = system.get(second_factor::factors, user.id)->value.secret.clear;
    return run(factor.confirm_app(caller(user),
                                  crypto::totp(secret, crypto::totp_step(std::chrono::system_clock::now()))))
        .value();
  }

  boost::asio::io_context io;
  boost::asio::thread_pool pool{1};
  agentbox::Site site{"https://box.example.org"};
  identities::Identities identities{system, accounts, keys, events};
  mail::Outbox outbox{system, {}, io, pool};
  security::ReplayGuard replay_guard{system};
  second_factor::SecondFactor factor{system, site, replay_guard, "key", true};
  recovery::Recovery recovery{system, accounts, identities, factor, outbox, site, io};
};

TEST_F(Recovery, ChangesOfPasswordAddressOrSessionsInvalidateTokens) {
  const auto user = register_as("ada@example.org").value();
  const auto moves_away_and_back = [&] {
    for (const char* email : {"other@example.org", "ada@example.org"}) {
      accounts::ProfileChange change{.name = {}, .email = email};
      ASSERT_TRUE(run(accounts.change_profile(caller(user), std::move(change))));
    }
  };
  const auto signs_out_everywhere = [&] { run(sessions.end_all(user.id)); };
  const auto changes_the_password = [&] {
    ASSERT_TRUE(run(accounts.change_password(user.id, "", "correct horse battery", "a password by hand")));
  };
  for (const std::function<void()>& change :
       std::initializer_list<std::function<void()>>{moves_away_and_back, signs_out_everywhere, changes_the_password}) {
    const std::string token = token_for("ada@example.org");
    change();
    EXPECT_EQ(reset(token).error().kind, web::Kind::invalid);
  }
  EXPECT_TRUE(log_in("ada@example.org", "a password by hand"));
  EXPECT_TRUE(reset(token_for("ada@example.org")));
}

TEST_F(Recovery, InvalidTokensDoNotCountTowardsTheLimit) {
  const auto user = register_as("ada@example.org").value();
  for (std::size_t n = 0; n < recovery::tokens_at_once + 1; ++n) token_for("ada@example.org");
  EXPECT_EQ(mails(), recovery::tokens_at_once);
  run(sessions.end_all(user.id));
  token_for("ada@example.org");
  EXPECT_EQ(mails(), recovery::tokens_at_once + 1);
}

TEST_F(Recovery, ARequestIsTheSameWorkForEveryAddress) {
  ASSERT_TRUE(register_as("ada@example.org"));
  const auto commits = [&](std::string email) {
    const auto before = store->stats().commits;
    run(recovery.request(std::move(email)));
    return store->stats().commits - before;
  };
  EXPECT_EQ(commits("ada@example.org"), commits("nobody@example.org"));
  EXPECT_EQ(mails(), 0u) << "the account is looked up later";
  run(recovery.work());
  EXPECT_EQ(mails(), 1u);
}

// Whether somebody has vouched for the address or not.
TEST_F(Recovery, AResetAsksForTheSecondFactorAndKeepsIt) {
  for (const bool is_verified : {false, true}) {
    const std::string email = is_verified ? "verified@example.org" : "unverified@example.org";
    const auto user = register_as(email).value();
    if (is_verified) {
      const auto verify = [](accounts::User& edited) { edited.email_verified = true; };
      run(system.modify(accounts::users, user.id, verify));
    }
    const auto key = run(keys.create(caller(user), "laptop", std::nullopt)).value();
    const auto codes = set_up_factor(user);
    const std::string token = token_for(email);
    EXPECT_EQ(reset(token).error().code, "SECOND_FACTOR_REQUIRED");
    EXPECT_EQ(reset(token, "wrong").error().kind, web::Kind::unauthenticated);
    EXPECT_TRUE(log_in(email, "correct horse battery")) << "nothing has changed yet";
    EXPECT_TRUE(keys.validate(key.secret));
    EXPECT_TRUE(reset(token, codes[0])) << "neither spent the token";
    EXPECT_TRUE(factor.is_on(user.id));
    EXPECT_EQ(factor.state(user.id).recovery_codes, codes.size() - 1);
    EXPECT_EQ(keys.validate(key.secret).has_value(), is_verified) << "of an account nobody had vouched for";
    EXPECT_TRUE(accounts.find(user.id)->email_verified);
  }
}

TEST_F(Recovery, AResetForgetsFailedSignIns) {
  ASSERT_TRUE(register_as("ada@example.org"));
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(log_in("ada@example.org", "a wrong password"));
  EXPECT_EQ(log_in("ada@example.org", "correct horse battery").error().kind, web::Kind::too_many);
  ASSERT_TRUE(reset(token_for("ada@example.org")));
  EXPECT_TRUE(log_in("ada@example.org", "a password chosen by mail"));
}

// Both resets find the token valid; one commits second.
TEST_F(Recovery, TheSecondOfTwoConcurrentResetsChangesNothing) {
  const auto user = register_as("ada@example.org").value();
  const std::string token = token_for("ada@example.org");
  boost::asio::io_context together;
  std::vector<std::string> passwords{"the first one's password", "the second one's password"}, accepted;
  for (const std::string& password : passwords)
    boost::asio::co_spawn(together, recovery.reset(token, password, {}),
                          [&, password](std::exception_ptr failure, auto done) {
                            if (failure) std::rethrow_exception(failure);
                            if (done) accepted.push_back(password);
                          });
  together.run();
  ASSERT_EQ(accepted.size(), 1u);
  for (const std::string& password : passwords)
    EXPECT_EQ(log_in("ada@example.org", password).has_value(), password == accepted.front());
}

// One change: no crash can leave the address verified and the previous user's key valid.
TEST_F(Recovery, AnAccountIsClaimedInOneChange) {
  const auto squatter = register_as("ada@example.org").value();
  const auto key = run(keys.create(caller(squatter), "laptop", std::nullopt)).value();
  auto change = system.change();
  const identities::Identity squatted{.id = "idp:x squatter", .user_id = squatter.id};
  change.insert(identities::identities, squatted);
  ASSERT_TRUE(change.commit_blocking().ok());
  const std::string session = sign_in(squatter), token = token_for("ada@example.org");

  const auto before = store->stats().commits;
  ASSERT_TRUE(reset(token));
  const auto commits = store->stats().commits - before;
  EXPECT_EQ(commits, 3u) << "the epoch, the change, and the removal of ended sessions";
  EXPECT_FALSE(keys.validate(key.secret));
  EXPECT_FALSE(identities.find("idp:x squatter"));
  EXPECT_FALSE(session_of(session));
  EXPECT_EQ(system.find(recovery::tokens, "user", squatter.id).size(), 0u);
  const auto owner = *accounts.find(squatter.id);
  EXPECT_TRUE(run(keys.create(caller(owner), "another", std::nullopt))) << "and the count of keys is right";
}

}  // namespace recovery_test
