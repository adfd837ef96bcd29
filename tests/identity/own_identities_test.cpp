// Users disconnect their own identities, but never the last way to sign in.
#include "appliance/identity/identities/own_identities.h"

#include <gmock/gmock.h>

#include "appliance/identity/identities/identities.h"
#include "appliance/identity/site.h"
#include "tests/identity/people_fixture.h"

namespace own_identities_test {

using identities::Identity;
using identities::OwnIdentities;
using testing::IsEmpty;
using testing::SizeIs;

constexpr auto password = "correct horse battery";

class OwnIdentitiesTest : public people_tests::People {
 protected:
  accounts::User connect(std::string id, std::string email = "ada@example.org") {
    identities::VerifiedIdentity identity{
        .id = std::move(id), .email = std::move(email), .is_email_verified = true, .name = {}, .refresh_token = {}};
    return run(identities.sign_in(std::move(identity), identities.session_epoch())).value();
  }
  web::Result<void> disconnect(const accounts::User& user, const std::string& id, std::string given = {}) {
    second_factor::StepUpProof proof;
    if (!given.empty()) proof.currentPassword = web::Text<1, 256>{std::move(given)};
    audit::Actor actor{.caller = caller(user), .address = "192.0.2.1", .by = {}, .acting_as = {}};
    return run(own.disconnect(std::move(actor), OwnIdentities::handle(Identity{.id = id}), std::move(proof)));
  }
  std::vector<std::string> outcomes() {
    std::vector<std::string> found;
    for (const auto& entry : audit.list(0, 100))
      if (entry.act == "identity disconnected") found.push_back(entry.outcome);
    return found;
  }

  agentbox::Site site{"https://box.example.org"};
  security::ReplayGuard replay_guard{system};
  second_factor::SecondFactor factor{system, site, replay_guard, "key", true};
  audit::Audit audit{system};
  identities::Identities identities{system, accounts, keys, events};
  OwnIdentities own{system, accounts, sessions, factor, audit};
};

TEST_F(OwnIdentitiesTest, OneOfTwoIsDisconnectedAndTheLastOneIsNot) {
  const auto ada = connect("idp:https://id.example 1");
  EXPECT_EQ(connect("codehost:https://code.example 2").id, ada.id);
  ASSERT_THAT(own.list(ada.id), SizeIs(2));
  EXPECT_TRUE(disconnect(ada, "idp:https://id.example 1"));
  const auto refused = disconnect(ada, "codehost:https://code.example 2");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, web::Kind::conflict);
  EXPECT_THAT(own.list(ada.id), SizeIs(1));
  ASSERT_THAT(outcomes(), SizeIs(2));
  EXPECT_EQ(outcomes()[0], "ok");
  EXPECT_EQ(outcomes()[1], refused.error().message);
}

TEST_F(OwnIdentitiesTest, AnIdentityThatTheProviderDisabledIsNoWayToSignIn) {
  const auto ada = connect("idp:https://id.example 1");
  connect("codehost:https://code.example 2");
  run(identities.set_disabled(ada.id, "idp:", true));
  EXPECT_FALSE(disconnect(ada, "codehost:https://code.example 2"));
  EXPECT_TRUE(disconnect(ada, "idp:https://id.example 1"));
}

TEST_F(OwnIdentitiesTest, UsersWithAPasswordProveIt) {
  const auto ada = connect("idp:https://id.example 1");
  ASSERT_TRUE(run(accounts.change_as_admin(ada.id, {.password = password, .is_admin = {}, .is_disabled = {}})));
  EXPECT_EQ(disconnect(ada, "idp:https://id.example 1").error().kind, web::Kind::invalid);
  EXPECT_FALSE(disconnect(ada, "idp:https://id.example 1", "a wrong password"));
  EXPECT_THAT(own.list(ada.id), SizeIs(1));
  EXPECT_TRUE(disconnect(ada, "idp:https://id.example 1", password));
  EXPECT_THAT(own.list(ada.id), IsEmpty());
}

TEST_F(OwnIdentitiesTest, OthersAreNotFound) {
  const auto ada = connect("idp:https://id.example 1");
  const auto eve = connect("idp:https://id.example 2", "eve@example.org");
  EXPECT_EQ(disconnect(eve, "idp:https://id.example 1").error().kind, web::Kind::not_found);
  EXPECT_THAT(own.list(ada.id), SizeIs(1));
}

}  // namespace own_identities_test
