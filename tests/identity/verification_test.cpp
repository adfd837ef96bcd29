// Verification of e-mail addresses: when a token is valid, and for whom.
#include "appliance/identity/verification/verification.h"

#include "appliance/foundation/crypto/random.h"
#include "tests/identity/people_fixture.h"

namespace verification_test {

class Verification : public people_tests::People {
 protected:
  // The token of a new mail to the user.
  std::string token_for(const accounts::User& user) {
    EXPECT_TRUE(run(verification.send(user.id)));
    const std::string body = outbox.list(1).front().body.clear;
    constexpr std::string_view mark = "/settings?verify=";
    return body.substr(body.find(mark) + mark.size(), 43);
  }
  web::Result<accounts::User> verify(const web::Caller& caller, std::string token) {
    return run(verification.verify(caller, std::move(token)));
  }
  bool is_verified(const accounts::User& user) const { return accounts.find(user.id)->email_verified; }
  void move_to(const accounts::User& user, const char* email) {
    accounts::ProfileChange change{.name = {}, .email = email};
    ASSERT_TRUE(run(accounts.change_profile(caller(user), std::move(change))));
  }

  boost::asio::io_context io;
  boost::asio::thread_pool pool{1};
  agentbox::Site site{"https://box.example.org"};
  mail::Outbox outbox{system, {}, io, pool};
  verification::Verification verification{system, accounts, outbox, site};
};

TEST_F(Verification, ATokenIsAcceptedOnceFromASessionOfItsAccount) {
  const auto ada = register_as("ada@example.org").value(), eve = register_as("eve@example.org").value();
  const std::string earlier = token_for(ada), token = token_for(ada);
  EXPECT_EQ(outbox.list(1).front().to, "ada@example.org");
  EXPECT_EQ(verify(caller(eve), token).error().kind, web::Kind::invalid) << "somebody else's session";
  const auto ended = caller(ada);
  run(sessions.end(ended.credential));
  EXPECT_EQ(verify(ended, token).error().kind, web::Kind::unauthenticated);
  EXPECT_FALSE(is_verified(ada) || is_verified(eve));
  EXPECT_TRUE(verify(caller(ada), token)->email_verified);
  EXPECT_TRUE(is_verified(ada));
  for (const std::string& spent : {token, earlier, std::string("x")})
    EXPECT_EQ(verify(caller(ada), spent).error().kind, web::Kind::invalid);
  EXPECT_EQ(run(verification.send(ada.id)).error().kind, web::Kind::conflict);
}

TEST_F(Verification, AnotherAddressEndsEarlierTokensAlsoWhenItComesBack) {
  const auto ada = register_as("ada@example.org").value();
  const std::string token = token_for(ada);
  move_to(ada, "other@example.org");
  EXPECT_FALSE(verify(caller(ada), token));
  move_to(ada, "ada@example.org");
  EXPECT_FALSE(verify(caller(ada), token));
  EXPECT_TRUE(verify(caller(ada), token_for(ada)));
}

TEST_F(Verification, TokensEndAfterSevenDaysAndAreRemoved) {
  const auto ada = register_as("ada@example.org").value();
  const std::string token = token_for(ada);
  const auto grow_old = [](verification::Token& row) {
    row.created_at -= verification::token_lifetime;
    row.expires_at -= verification::token_lifetime;
  };
  run(system.modify(verification::tokens, crypto::sha256_hex(token), grow_old));
  EXPECT_EQ(verify(caller(ada), token).error().kind, web::Kind::invalid);
  const std::string fresh = token_for(ada);
  run(verification.sweep(store::now()));
  EXPECT_EQ(system.find(verification::tokens, "user", ada.id).size(), 1u);
  EXPECT_TRUE(verify(caller(ada), fresh));
}

TEST_F(Verification, AUserGetsThreeMailsAnHourWhateverTheAddress) {
  const auto ada = register_as("ada@example.org").value();
  for (int i = 0; i < 2; ++i) token_for(ada);
  move_to(ada, "other@example.org");
  token_for(ada);
  const auto refused = run(verification.send(ada.id)).error();
  EXPECT_EQ(refused.kind, web::Kind::too_many);
  EXPECT_GT(refused.extra.at("retryAfter").as_int64(), 3500);
  EXPECT_EQ(outbox.list(100).size(), 3u);
  for (const auto& token : system.find(verification::tokens, "user", ada.id)) {
    const auto an_hour_ago = [](verification::Token& row) { row.created_at -= std::chrono::hours(1); };
    run(system.modify(verification::tokens, token.id, an_hour_ago));
  }
  EXPECT_TRUE(run(verification.send(ada.id)));
}

TEST_F(Verification, AWalletHasNoAddressToVerify) {
  const auto user = run(accounts.create_without_password("0xabc@wallet.app", "W", false)).value();
  EXPECT_EQ(run(verification.send(user.id)).error().kind, web::Kind::conflict);
  EXPECT_EQ(run(verification.send(4711)).error().kind, web::Kind::not_found);
}

}  // namespace verification_test
