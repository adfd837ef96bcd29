// Who may create an account: REGISTRATION, invitations, administrators.
#include <gmock/gmock.h>

#include <set>

#include "tests/identity/people_fixture.h"

namespace registration_test {

using testing::HasSubstr;
using web::Kind;

// Codes of one use each, kept in memory.
class PaperInvitations : public accounts::Invitations {
 public:
  web::Result<bool> redeem(const std::string& code, store::UserId, store::Change&) override {
    ++asked;
    if (codes.erase(code) == 0) return web::forbidden("inviteCode is not a valid invitation");
    return false;
  }
  std::set<std::string> codes{"welcome"};
  int asked = 0;
};

class Registration : public people_tests::People {
 protected:
  web::Result<accounts::User> register_with(std::optional<std::string> code, std::string email = "ada@example.com") {
    accounts::Registration wanted{.email = std::move(email),
                                  .password = "correct horse battery",
                                  .name = {},
                                  .referral_code = {},
                                  .invite_code = std::move(code)};
    return run(accounts.create(std::move(wanted)));
  }
  PaperInvitations invitations;
};

TEST_F(Registration, OpenAdmitsAnybody) {
  accounts.set_registration({"open", &invitations});
  EXPECT_TRUE(register_with({}));
  EXPECT_EQ(invitations.asked, 0);
}

// An invitation may name a plan and groups: a code that is sent is redeemed, and a wrong one is not passed over.
TEST_F(Registration, OpenRedeemsACodeThatIsSent) {
  accounts.set_registration({"open", &invitations});
  const auto refused = register_with("whatever").error();
  EXPECT_EQ(refused.kind, Kind::forbidden);
  EXPECT_THAT(refused.message, HasSubstr("not a valid invitation"));
  EXPECT_TRUE(register_with("welcome"));
  EXPECT_EQ(invitations.asked, 2);
}

TEST_F(Registration, ClosedAdmitsNobodyByAnyWay) {
  accounts.set_registration({"closed", &invitations});
  for (const auto& code : {std::optional<std::string>(), std::optional<std::string>("welcome")}) {
    const auto refused = register_with(code).error();
    EXPECT_EQ(refused.kind, Kind::forbidden);
    EXPECT_EQ(refused.code, "REGISTRATION_CLOSED");
    EXPECT_THAT(refused.message, HasSubstr("administrator"));
  }
  const auto by_provider = run(accounts.create_without_password("ada@example.com", "Ada", true)).error();
  EXPECT_TRUE(accounts::is_registration_refusal(by_provider));
  EXPECT_FALSE(accounts.find_by_email("ada@example.com"));
  EXPECT_EQ(invitations.asked, 0);
}

TEST_F(Registration, TheRefusalDoesNotRevealWhoIsRegistered) {
  ASSERT_TRUE(register_with({}));
  for (const char* mode : {"closed", "invite"}) {
    accounts.set_registration({mode, nullptr});
    const auto known = register_with({}).error(), unknown = register_with({}, "bob@example.com").error();
    EXPECT_EQ(known.kind, unknown.kind);
    EXPECT_EQ(known.message, unknown.message);
  }
}

TEST_F(Registration, InviteNeedsAValidCodeAndUsesItUp) {
  accounts.set_registration({"invite", &invitations});
  const auto without = register_with({}).error();
  EXPECT_EQ(without.kind, Kind::forbidden);
  EXPECT_EQ(without.code, "INVITATION_REQUIRED");
  EXPECT_THAT(without.message, HasSubstr("inviteCode is required"));
  EXPECT_EQ(register_with("guess").error().kind, Kind::forbidden);
  EXPECT_FALSE(accounts.find_by_email("ada@example.com"));
  EXPECT_TRUE(register_with("welcome"));
  EXPECT_EQ(register_with("welcome", "bob@example.com").error().kind, Kind::forbidden) << "used up";
  EXPECT_TRUE(
      accounts::is_registration_refusal(run(accounts.create_without_password("eve@example.com", "Eve", true)).error()));
}

TEST_F(Registration, WithoutInvitationsNoCodeIsValid) {
  accounts.set_registration({"invite", nullptr});
  EXPECT_THAT(register_with("welcome").error().message, HasSubstr("inviteCode"));
}

TEST_F(Registration, AdministratorsCreateUsersWhateverThePolicyIs) {
  accounts.set_registration({"closed", nullptr});
  const auto ada = run(accounts.create_as_admin({.email = "Ada@Example.com", .password = "correct horse battery"}));
  ASSERT_TRUE(ada);
  EXPECT_EQ(ada->name, "ada@example.com");
  EXPECT_FALSE(ada->email_verified);
  EXPECT_TRUE(log_in("ada@example.com", "correct horse battery"));
  EXPECT_EQ(run(accounts.create_as_admin({.email = "ada@example.com"})).error().kind, Kind::conflict);
  EXPECT_EQ(run(accounts.create_as_admin({.email = "no address"})).error().kind, Kind::invalid);
  EXPECT_EQ(run(accounts.create_as_admin({.email = "b@example.com", .password = "short"})).error().kind, Kind::invalid);

  const auto without = run(accounts.create_as_admin({.email = "bob@example.com", .name = "Bob"})).value();
  EXPECT_EQ(without.name, "Bob");
  EXPECT_FALSE(log_in("bob@example.com", "")) << "no password, no sign-in by password";
  const auto admin = run(accounts.create_as_admin({.email = "c@example.com", .is_admin = true})).value();
  EXPECT_TRUE(accounts.is_admin(admin));
}

TEST_F(Registration, AnAdminCreatedListedAddressIsAnAdminOnlyIfProved) {
  const auto typed = run(accounts.create_as_admin({.email = "root@example.com"})).value();
  EXPECT_FALSE(accounts.is_admin(typed));
  auto proved = typed;
  proved.email_verified = true;
  EXPECT_TRUE(accounts.is_admin(proved));
}

}  // namespace registration_test
