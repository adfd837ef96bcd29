// The last step of every sign-in method: users with a second factor get a ticket, then a session for their proof.
#include "appliance/identity/sign_in/sign_in.h"

#include "tests/identity/authenticator.h"
#include "tests/identity/people_fixture.h"

namespace sign_in_test {

using namespace std::chrono_literals;

class SignIn : public people_tests::People {
 protected:
  // Ada with a passkey and its recovery codes.
  accounts::User with_factor() {
    auto user = register_as("ada@example.org").value();
    authenticator_tests::Authenticator authenticator;
    const auto options = factor.passkeys().creation_options(user).value();
    const std::string challenge = crypto::from_base64url(options.challenge).value();
    codes = run(factor.passkeys().add(caller(user), "key", authenticator.create(challenge))).value().recovery_codes;
    return user;
  }
  web::Result<sign_in::SignInResult> begin(const accounts::User& user) {
    audit::Entry entry{.act = "sign-in by wallet", .outcome = "ok", .subject = "0x12", .address = "192.0.2.7"};
    return run(sign_in.begin({}, std::move(entry), user));
  }
  web::Result<sign_in::SignInResult> resume(const std::string& ticket, std::optional<std::string> code) {
    sign_in::Client client{.ticket = ticket};
    second_factor::Proof proof;
    if (code) proof.code = web::Text<1, 32>(std::move(*code));
    return run(sign_in.resume(std::move(client), std::move(proof)));
  }
  std::vector<std::string> record() const {
    std::vector<std::string> lines;
    for (const auto& entry : audit.list(0, 100)) lines.push_back(entry.act + ": " + entry.outcome);
    return lines;
  }

  agentbox::Site site{"https://box.example.org"};
  security::ReplayGuard replay_guard{system};
  audit::Audit audit{system};
  second_factor::SecondFactor factor{system, site, replay_guard, "key", false};
  accounts::KnownDevices devices{"device key"};
  sign_in::SignIn sign_in{accounts, sessions, factor, audit, replay_guard, devices, "ticket key"};
  std::vector<std::string> codes;
};

TEST_F(SignIn, AUserWithoutASecondFactorGetsASessionAndAnAuditEntry) {
  const auto entered = begin(register_as("ada@example.org").value()).value();
  EXPECT_FALSE(entered.challenge);
  EXPECT_TRUE(session_of(entered.cookie.value));
  EXPECT_TRUE(devices.find(entered.device->value, entered.user, store::now()));
  EXPECT_EQ(record(), std::vector<std::string>{"sign-in by wallet: ok"});
}

TEST_F(SignIn, AFailureIsInTheAuditLogWithItsMessage) {
  audit::Entry entry{.act = "sign-in by wallet", .outcome = "ok"};
  web::Result<accounts::User> refused = web::unauthenticated("The message has expired");
  EXPECT_EQ(run(sign_in.begin({}, std::move(entry), std::move(refused))).error().message, "The message has expired");
  EXPECT_EQ(record(), std::vector<std::string>{"sign-in by wallet: The message has expired"});
}

TEST_F(SignIn, TheAuditLogSaysOkOnlyForASession) {
  const auto user = register_as("ada@example.org").value();
  run(sessions.end_all(user.id));
  EXPECT_FALSE(begin(user));
  EXPECT_EQ(record(), std::vector<std::string>{"sign-in by wallet: Invalid credentials"});
}

TEST_F(SignIn, ATicketAndACodeSignInOnce) {
  const auto halfway = begin(with_factor()).value();
  ASSERT_TRUE(halfway.challenge);
  EXPECT_EQ(halfway.challenge->code, "SECOND_FACTOR_REQUIRED");
  EXPECT_EQ(halfway.cookie.name, sign_in::ticket_cookie);
  EXPECT_FALSE(session_of(halfway.cookie.value)) << "it is no session";
  EXPECT_FALSE(halfway.device) << "nor is the browser known";

  const std::string ticket = halfway.cookie.value;
  EXPECT_EQ(resume(ticket, std::nullopt).error().code, "SECOND_FACTOR_REQUIRED") << "asked again, for a browser";
  EXPECT_EQ(resume(ticket, "wrong").error().kind, web::Kind::unauthenticated);
  const auto entered = resume(ticket, codes[0]).value();
  EXPECT_TRUE(session_of(entered.cookie.value));
  EXPECT_EQ(resume(ticket, codes[1]).error().kind, web::Kind::unauthenticated);
  EXPECT_EQ(factor.state(entered.user.id).recovery_codes, 9u) << "and a spent ticket spends no code";
  EXPECT_EQ(record(),
            (std::vector<std::string>{"sign-in by wallet: A code or a passkey of your second factor is required",
                                      "sign-in by wallet: Invalid credentials", "sign-in by wallet: ok",
                                      "sign-in by wallet: Sign-in session not found or expired: please begin again"}));
}

TEST_F(SignIn, EndingAllSessionsEndsTickets) {
  const auto user = with_factor();
  const std::string ticket = begin(user)->cookie.value;
  run(sessions.end_all(user.id));
  EXPECT_EQ(resume(ticket, codes[0]).error().kind, web::Kind::unauthenticated);
  EXPECT_EQ(factor.state(user.id).recovery_codes, 10u);
}

TEST_F(SignIn, ATicketSurvivesARoundTripAndNoChange) {
  const auto now = store::now();
  const sign_in::Ticket ticket{
      .user = 7, .sessions_since = 3, .until = now + 5min, .act = "sign-in by the code host", .id = "ab12"};
  const std::string text = sign_in::sealed(ticket, "key");
  const auto read = sign_in::unsealed(text, "key", now);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->user, 7);
  EXPECT_EQ(read->sessions_since, 3);
  EXPECT_EQ(read->until, ticket.until);
  EXPECT_EQ(read->act, "sign-in by the code host");
  EXPECT_EQ(read->id, "ab12");
  EXPECT_FALSE(sign_in::unsealed(text, "another key", now));
  EXPECT_FALSE(sign_in::unsealed(text, "key", now + 5min));
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string wrong = text;
    wrong[at] = wrong[at] == '1' ? '2' : '1';
    EXPECT_FALSE(sign_in::unsealed(wrong, "key", now)) << at;
  }
  for (const std::string_view nothing : {"", ".", ".....", "7.3.1.x.y"})
    EXPECT_FALSE(sign_in::unsealed(nothing, "key", now)) << nothing;
}

}  // namespace sign_in_test
