// Setting up a second factor requires step-up.
#include "appliance/identity/second_factor/factor_settings.h"
#include "tests/identity/people_fixture.h"

namespace second_factor_proof_test {

using namespace std::chrono_literals;

class SecondFactorProof : public people_tests::People {
 protected:
  web::Result<accounts::User> prove(const accounts::User& user, const std::string& session,
                                    std::optional<std::string> password = {}) {
    audit::Actor actor{.caller = {.user_id = user.id, .credential = session}, .address = "192.0.2.7"};
    second_factor::StepUpProof proof;
    if (password) proof.currentPassword = web::Text<1, 256>(std::move(*password));
    return run(factor_settings.verify(std::move(actor), "app", std::move(proof)));
  }
  // A session of that age.
  std::string aged_session(const accounts::User& user, std::chrono::seconds age) {
    const std::string id = session_of(sign_in(user))->session_id;
    const auto grow_old = [&](accounts::Session& session) { session.created_at -= age; };
    run(system.modify(accounts::sessions, id, grow_old));
    return id;
  }
  std::string last_line() const {
    const auto entries = audit.list(0, 100);
    return entries.empty() ? "" : entries.back().act + ", " + entries.back().subject + ": " + entries.back().outcome;
  }

  agentbox::Site site{"https://box.example.org"};
  security::ReplayGuard replay_guard{system};
  audit::Audit audit{system};
  second_factor::SecondFactor factor{system, site, replay_guard, "key", false};
  second_factor::FactorSettings factor_settings{factor, accounts, sessions, audit,
                                                [](const accounts::User&) { return false; }};
};

TEST_F(SecondFactorProof, AUserWithAPasswordGivesIt) {
  const auto ada = register_as("ada@example.org").value();
  const std::string session = aged_session(ada, 0s);
  EXPECT_TRUE(prove(ada, session, "correct horse battery"));
  EXPECT_EQ(last_line(), "") << "nothing has changed yet";
  EXPECT_EQ(prove(ada, session).error().message, "currentPassword is required");
  EXPECT_EQ(prove(ada, session, "a wrong one").error().kind, web::Kind::invalid);
  EXPECT_EQ(last_line(), "second factor begun, app: currentPassword is wrong");
}

TEST_F(SecondFactorProof, AUserWithoutAPasswordMustHaveJustSignedIn) {
  const auto ada = run(accounts.create_without_password("ada@example.org", "Ada", true)).value();
  EXPECT_TRUE(prove(ada, aged_session(ada, 9min)));
  EXPECT_EQ(prove(ada, aged_session(ada, 10min)).error().code, "FRESH_SIGN_IN_REQUIRED");
  EXPECT_EQ(prove(ada, "no session").error().code, "FRESH_SIGN_IN_REQUIRED");
  EXPECT_EQ(prove(ada, aged_session(ada, 10min), "any password").error().code, "FRESH_SIGN_IN_REQUIRED");
  const std::string ended = aged_session(ada, 0s);
  const auto end_all = [](accounts::User& user) { user.sessions_since = 4711; };
  run(system.modify(accounts::users, ada.id, end_all));  // and the record of the session is still there
  EXPECT_EQ(prove(ada, ended).error().code, "FRESH_SIGN_IN_REQUIRED");
}

}  // namespace second_factor_proof_test
