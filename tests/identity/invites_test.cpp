// Invite codes, and the registrations that they admit.
#include "appliance/identity/invites/invites.h"

#include <gmock/gmock.h>

#include "appliance/billing/subscriptions/plan_directory.h"
#include "tests/identity/people_fixture.h"

namespace invites_test {

using web::Kind;

class InvitesTest : public people_tests::People {
 protected:
  InvitesTest() { accounts.set_registration({"invite", &invites}); }

  std::string code(invites::NewInvites wanted = {}) {
    return run(invites.generate(std::move(wanted))).value().codes.front();
  }
  bool admits(const std::string& invite_code, std::string email) {
    accounts::Registration wanted{.email = std::move(email),
                                  .password = "correct horse battery",
                                  .name = {},
                                  .referral_code = {},
                                  .invite_code = invite_code};
    return run(accounts.create(std::move(wanted))).has_value();
  }

  billing::Subscriptions held{store->system()};
  billing::PlanDirectory plans{store->system()};
  groups::Groups groups{store->system(), plans, events};
  invites::Invites invites{store->system(), plans, groups};
};

TEST_F(InvitesTest, AdmitAsOftenAsTheyHaveUses) {
  const auto invite = code({.uses = 2});
  EXPECT_TRUE(admits(invite, "a@example.com"));
  EXPECT_FALSE(admits(invite, "a@example.com")) << "the address is taken, and the use is not";
  EXPECT_TRUE(admits(invite, "b@example.com"));
  EXPECT_FALSE(admits(invite, "c@example.com"));
  EXPECT_EQ(invites.list("", 10).front().used, 2);
}

TEST_F(InvitesTest, GiveTheirPlanInTheSameChange) {
  const auto invite = code({.plan = "collective"});
  ASSERT_TRUE(admits(invite, "a@example.com"));
  const auto active = held.active(accounts.find_by_email("a@example.com")->id);
  ASSERT_TRUE(active);
  EXPECT_EQ(active->plan, billing::Plan::collective);
  EXPECT_EQ(run(invites.generate({.plan = "gold"})).error().kind, Kind::invalid);
}

TEST_F(InvitesTest, AdmitIntoAGroupWithItsPlanUnlessTheyHaveTheirOwn) {
  groups::Edit edit;
  edit.name = "Birds";
  edit.plan = "solo";
  const auto group = run(groups.create(std::move(edit))).value().id;
  ASSERT_TRUE(admits(code({.group = group}), "a@example.com"));
  ASSERT_TRUE(admits(code({.plan = "collective", .group = group}), "b@example.com"));
  const auto a = accounts.find_by_email("a@example.com")->id, b = accounts.find_by_email("b@example.com")->id;
  EXPECT_TRUE(groups.has(group, a) && groups.has(group, b));
  EXPECT_EQ(held.active(a)->plan, billing::Plan::solo);
  EXPECT_EQ(held.active(b)->plan, billing::Plan::collective);
  EXPECT_EQ(run(invites.generate({.group = "gr_unknown"})).error().kind, Kind::invalid);
  const auto later = code({.group = group});
  ASSERT_TRUE(run(groups.remove(group)));
  EXPECT_TRUE(admits(later, "c@example.com")) << "the group is gone, and the invitation stays";
}

TEST_F(InvitesTest, ExpireAndCanBeRevoked) {
  EXPECT_FALSE(admits(code({.lifetime = std::chrono::seconds(0)}), "a@example.com"));
  const auto invite = code();
  EXPECT_EQ(run(invites.revoke("nothing")).error().kind, Kind::not_found);
  EXPECT_TRUE(run(invites.revoke(invite.substr(0, invite.find('-')))));
  EXPECT_FALSE(admits(invite, "a@example.com"));
}

TEST_F(InvitesTest, AreKnownOnlyByTheWholeCode) {
  const auto invite = code();
  for (const auto& wrong : {std::string(), invite.substr(1), invite + "x", invite.substr(0, invite.find('-')),
                            invite.substr(0, invite.size() - 1) + (invite.back() == 'x' ? 'y' : 'x')})
    EXPECT_FALSE(admits(wrong, "a@example.com")) << wrong;
  EXPECT_TRUE(admits(invite, "a@example.com"));
}

TEST_F(InvitesTest, GiveAPassForOneRegistration) {
  const auto invite = code({.plan = "solo"});
  const auto pass = run(invites.consume(invite)).value();
  EXPECT_EQ(pass.plan, "solo");
  EXPECT_EQ(run(invites.consume(invite)).error().kind, Kind::not_found);
  EXPECT_EQ(run(invites.consume(pass.code)).error().kind, Kind::not_found) << "a pass is not an invite";
  EXPECT_FALSE(admits(invite, "a@example.com"));
  EXPECT_TRUE(admits(pass.code, "a@example.com"));
  EXPECT_FALSE(admits(pass.code, "b@example.com"));
  EXPECT_EQ(invites.list("", 10).size(), 1U) << "passes are not listed";
}

TEST_F(InvitesTest, AreSweptAMonthAfterTheyExpired) {
  code({.lifetime = std::chrono::seconds(1)});
  const auto pass = run(invites.consume(code())).value();
  const auto now = store::now();
  run(invites.sweep(now + std::chrono::days(2)));
  EXPECT_FALSE(admits(pass.code, "a@example.com"));
  EXPECT_EQ(invites.list("", 10).size(), 2U);
  run(invites.sweep(now + std::chrono::days(31)));
  EXPECT_EQ(invites.list("", 10).size(), 1U);
}

}  // namespace invites_test
