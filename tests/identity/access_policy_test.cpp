// Who needs a second factor from when on, and who may use a password.
#include "appliance/identity/second_factor/requirement.h"
#include "tests/identity/people_fixture.h"

namespace access_policy_test {

using second_factor::Requirement;

constexpr std::chrono::hours grace{1};

class AccessPolicy : public people_tests::People {};

TEST_F(AccessPolicy, TheGracePeriodBeginsWithTheSettingAndIsKeptOverStarts) {
  const auto user = register_as("ada@example.org").value();
  EXPECT_FALSE(Requirement(system, false, grace).deadline(user));
  const auto before = store::now();
  const auto first = Requirement(system, true, grace).deadline(user);
  ASSERT_TRUE(first);
  EXPECT_GE(*first, before + grace);
  EXPECT_EQ(Requirement(system, true, grace).deadline(user), first);
}

TEST_F(AccessPolicy, LaterUsersHaveItFromTheirRegistration) {
  const Requirement requirement(system, true, grace);
  auto user = register_as("ada@example.org").value();
  user.created_at += std::chrono::hours(5);
  EXPECT_EQ(requirement.deadline(user), user.created_at + grace);
}

TEST_F(AccessPolicy, TurningTheSettingOffForgetsItsStart) {
  static_cast<void>(Requirement(system, true, grace));
  static_cast<void>(Requirement(system, false, grace));
  EXPECT_FALSE(system.get(second_factor::required_since, second_factor::RequiredSince().name));
}

TEST_F(AccessPolicy, WithoutPasswordsOnlyTheBreakGlassAdministratorUsesOne) {
  const auto admin = register_admin(), user = register_as("ada@example.org").value();
  accounts.set_password_policy({.is_off = true, .break_glass = admin.email});
  EXPECT_TRUE(log_in(admin.email, "correct horse battery"));
  EXPECT_EQ(log_in(user.email, "correct horse battery").error().kind, web::Kind::unauthenticated);
  EXPECT_EQ(register_as("eve@example.org").error().code, "PASSWORDS_OFF");
  EXPECT_FALSE(accounts.has_password(user));
}

TEST_F(AccessPolicy, AnAccountOfThatAddressThatIsNoAdministratorIsNotTheBreakGlassOne) {
  const auto user = register_as("ada@example.org").value();
  accounts.set_password_policy({.is_off = true, .break_glass = user.email});
  EXPECT_FALSE(accounts.is_break_glass(user));
  EXPECT_FALSE(log_in(user.email, "correct horse battery"));
}

}  // namespace access_policy_test
