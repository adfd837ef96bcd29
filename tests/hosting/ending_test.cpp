// Ending all sessions of a user also ends sign-ins in progress.
#include "appliance/identity/identities/identities.h"
#include "tests/identity/people_fixture.h"

namespace ending_test {

class Ending : public people_tests::People {
 protected:
  identities::VerifiedIdentity ada_at_her_provider() const {
    return {.id = "idp:x ada",
            .email = "ada@example.org",
            .is_email_verified = true,
            .name = "Ada",
            .refresh_token = "a refresh token"};
  }
  std::string refresh_token() const { return identities.find("idp:x ada")->refresh_token.clear; }

  identities::Identities identities{system, accounts, keys, events};
};

TEST_F(Ending, AUserReadBeforeGetsNoSessionAfterwards) {
  const auto user = register_as("ada@example.org").value();
  const auto proved = log_in("ada@example.org", "correct horse battery").value();
  run(sessions.end_all(user.id));
  EXPECT_EQ(run(sessions.start(proved, false)).error().kind, web::Kind::unauthenticated);
  const auto again = log_in("ada@example.org", "correct horse battery").value();
  EXPECT_TRUE(run(sessions.start(again, false)));
}

TEST_F(Ending, ItsEpochEndsSessionsBeforeTheirRecordsAreRemoved) {
  auto user = register_as("ada@example.org").value();
  const std::string kept = sign_in(user), ended = sign_in(user);
  const auto epoch = run(sessions.next_epoch());
  auto row = system.get(accounts::users, user.id);
  auto change = system.change();
  sessions.end_all(row->value, epoch, change, session_of(kept)->session_id);
  change.update(accounts::users, *row);
  ASSERT_TRUE(change.commit_blocking().ok());
  EXPECT_TRUE(session_of(kept));
  EXPECT_FALSE(session_of(ended));
  EXPECT_EQ(sessions.of_user(user.id).size(), 1u);
  EXPECT_EQ(system.find(accounts::sessions, "user", user.id).size(), 2u) << "a crash may leave the record";
  run(sessions.remove_ended(user.id));
  EXPECT_EQ(system.find(accounts::sessions, "user", user.id).size(), 1u);
}

TEST_F(Ending, AnOutdatedOneRevivesNothing) {
  const auto user = register_as("ada@example.org").value();
  const std::string token = sign_in(user);
  const std::string id = session_of(token)->session_id;
  const auto earlier = run(sessions.next_epoch());
  run(sessions.end_all(user.id));
  auto row = system.get(accounts::users, user.id);
  auto change = system.change();
  sessions.end_all(row->value, earlier, change, id);
  change.update(accounts::users, *row);
  ASSERT_TRUE(change.commit_blocking().ok());
  EXPECT_FALSE(session_of(token));
  EXPECT_GT(accounts.find(user.id)->sessions_since, earlier);
}

TEST_F(Ending, AnIdentityProvedBeforeStartsNoSessionAndStoresNoToken) {
  const auto user = run(identities.sign_in(ada_at_her_provider(), identities.session_epoch())).value();
  const auto since = identities.session_epoch();
  run(identities.forget_refresh_tokens(user.id));
  run(sessions.end_all(user.id));
  EXPECT_EQ(run(identities.sign_in(ada_at_her_provider(), since)).error().kind, web::Kind::unauthenticated);
  EXPECT_EQ(refresh_token(), "");
  EXPECT_TRUE(run(identities.sign_in(ada_at_her_provider(), identities.session_epoch())));
  EXPECT_EQ(refresh_token(), "a refresh token");
}

TEST_F(Ending, ANewIdentityIsNotLinkedAfterwards) {
  const auto user = register_as("ada@example.org").value();
  const auto since = identities.session_epoch();
  run(sessions.end_all(user.id));
  EXPECT_EQ(run(identities.sign_in(ada_at_her_provider(), since)).error().kind, web::Kind::unauthenticated);
  EXPECT_FALSE(identities.find("idp:x ada"));
}

TEST_F(Ending, EpochsSurviveARestart) {
  const auto user = register_as("ada@example.org").value();
  run(sessions.end_all(user.id));
  accounts::Sessions later{system, events};
  EXPECT_GT(later.session_epoch(), accounts.find(user.id)->sessions_since);
  EXPECT_GT(run(later.next_epoch()), later.session_epoch() - 1);
}

// The user is read before the password is hashed, and written only if the stored password is unchanged.
TEST_F(Ending, APasswordProvedAgainstAnOlderOneIsNotChanged) {
  const auto user = register_as("ada@example.org").value();
  boost::asio::io_context io;
  std::optional<bool> changed, reset;
  const auto note = [](std::optional<bool>& outcome) {
    return [&outcome](std::exception_ptr failure, auto result) {
      if (failure) std::rethrow_exception(failure);
      outcome = result.has_value();
    };
  };
  boost::asio::co_spawn(io, accounts.change_password(user.id, "", "correct horse battery", "a password of hers"),
                        note(changed));
  accounts::AdminChange by_admin{.password = "a password of the admin's", .is_admin = {}, .is_disabled = {}};
  boost::asio::co_spawn(io, accounts.change_as_admin(user.id, std::move(by_admin)), note(reset));
  io.run();
  EXPECT_TRUE(*reset);
  if (*changed)
    EXPECT_TRUE(log_in("ada@example.org", "a password of the admin's")) << "hers came first";
  else
    EXPECT_FALSE(log_in("ada@example.org", "a password of hers"));
}

}  // namespace ending_test
