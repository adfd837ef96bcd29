// Referrals: the credits come once, when the address is verified and a payment or an administrator vouches for them.
#include "appliance/billing/referrals/referrals.h"

#include "appliance/billing/credits/credits.h"
#include "tests/identity/people_fixture.h"

namespace referrals_test {

using accounts::User;
using billing::referrals::Referrals;

class ReferralsTest : public people_tests::People {
 protected:
  explicit ReferralsTest(std::string_view when = "payment") : referrals(system, accounts, when) {
    events.account_created.subscribe([this](const accounts::Newcomer& newcomer, store::Change& change) {
      if (newcomer.referrer) referrals.add(change, newcomer.user, *newcomer.referrer);
    });
  }
  User referred_by(const User& referrer) {
    return register_as("new@example.org", "correct horse battery", referrer.referral_code).value();
  }
  void verify(const User& user) {
    run(accounts.verify_email(caller(user), [](const User&, store::Change&) { return web::Result<void>(); })).value();
  }
  void pay(const User& user) {
    auto change = system.change();
    referrals.note_payment(change, user.id);
    ASSERT_TRUE(change.commit_blocking().ok());
  }
  std::int64_t credits_of(const User& user) { return credits.balance(user.id).whole_credits(); }
  void settle() {
    for (const auto user : referrals.due()) run(referrals.settle(user));
  }

  credits::Credits credits{system};
  Referrals referrals;
};

class ReferralsByApproval : public ReferralsTest {
 protected:
  ReferralsByApproval() : ReferralsTest("approval") {}
};

class ReferralsAtRegistration : public ReferralsTest {
 protected:
  ReferralsAtRegistration() : ReferralsTest("registration") {}
};

TEST_F(ReferralsTest, APaymentAfterTheVerificationGrantsBothOnce) {
  const auto ada = register_as("ada@example.org").value(), user = referred_by(ada);
  verify(user);
  settle();
  EXPECT_EQ(credits_of(user), 0);
  pay(user);
  pay(user);
  EXPECT_EQ(credits_of(user), 100);
  EXPECT_EQ(credits_of(ada), 100);
  EXPECT_TRUE(referrals.list(0, 10).empty());
}

TEST_F(ReferralsTest, ThePaymentsOwnCreditsAreOfTheSameChange) {
  const auto ada = register_as("ada@example.org").value(), user = referred_by(ada);
  verify(user);
  auto change = system.change();
  referrals.note_payment(change, user.id);
  credits::add(change, {.user_id = user.id,
                        .id = "bought",
                        .at = store::now(),
                        .kind = credits::EntryKind::bought,
                        .amount = 1'000 * credits::credit.units(),
                        .reference = "stripe/cs_1",
                        .note = "1000 credits",
                        .by = {}});
  ASSERT_TRUE(change.commit_blocking().ok());
  EXPECT_EQ(credits_of(user), 1'100);
  EXPECT_EQ(credits_of(ada), 100);
}

TEST_F(ReferralsTest, AVerificationAfterThePaymentGrantsThemAtTheNextRound) {
  const auto ada = register_as("ada@example.org").value(), user = referred_by(ada);
  pay(user);
  settle();
  EXPECT_EQ(credits_of(ada), 0);
  verify(user);
  settle();
  settle();
  EXPECT_EQ(credits_of(user), 100);
  EXPECT_EQ(credits_of(ada), 100);
}

TEST_F(ReferralsTest, ARefusedOneGrantsNothingWhateverFollows) {
  const auto ada = register_as("ada@example.org").value(), user = referred_by(ada);
  ASSERT_TRUE(run(referrals.refuse(user.id)));
  verify(user);
  pay(user);
  settle();
  EXPECT_EQ(credits_of(user), 0);
  EXPECT_EQ(credits_of(ada), 0);
  EXPECT_EQ(run(referrals.approve(user.id)).error().kind, web::Kind::not_found);
}

TEST_F(ReferralsByApproval, APaymentIsNotEnough) {
  const auto ada = register_as("ada@example.org").value(), user = referred_by(ada);
  verify(user);
  pay(user);
  EXPECT_EQ(credits_of(ada), 0);
  ASSERT_TRUE(run(referrals.approve(user.id)));
  EXPECT_EQ(credits_of(user), 100);
  EXPECT_EQ(credits_of(ada), 100);
}

TEST_F(ReferralsAtRegistration, BothGetTheirsAtOnce) {
  const auto ada = register_as("ada@example.org").value(), user = referred_by(ada);
  EXPECT_EQ(credits_of(user), 100);
  EXPECT_EQ(credits_of(ada), 100);
}

}  // namespace referrals_test
