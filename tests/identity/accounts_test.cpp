#include <gmock/gmock.h>

#include "appliance/foundation/email.h"
#include "tests/identity/people_fixture.h"

namespace accounts_test {

using people_tests::People;
using testing::HasSubstr;
using web::Kind;

class Accounts : public People {};

TEST_F(Accounts, RegistrationNormalisesTheEmailAndKeepsNoPassword) {
  const auto user = register_as("Ada@Example.COM");
  ASSERT_TRUE(user);
  EXPECT_GT(user->id, 0);
  EXPECT_EQ(user->email, "ada@example.com");
  EXPECT_EQ(user->name, "ada@example.com");
  EXPECT_TRUE(user->password_hash.starts_with("$argon2id$"));
  EXPECT_EQ(accounts.find_by_email("ada@example.com")->id, user->id);
}

TEST_F(Accounts, AnEmailIsUniqueWhateverItsCase) {
  ASSERT_TRUE(register_as("ada@example.com"));
  EXPECT_EQ(register_as("ADA@example.com").error().kind, Kind::conflict);
}

TEST_F(Accounts, ConcurrentRegistrationsOfOneEmailCreateOneAccount) {
  boost::asio::io_context io;
  int made = 0, refused = 0;
  for (int i = 0; i < 4; ++i) {
    accounts::Registration wanted{
        .email = "ada@example.com", .password = "correct horse battery", .name = {}, .referral_code = {}};
    boost::asio::co_spawn(io, accounts.create(std::move(wanted)),
                          [&](std::exception_ptr, web::Result<accounts::User> user) { user ? ++made : ++refused; });
  }
  io.run();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(refused, 3);
}

TEST_F(Accounts, BadEmailsAreRefused) {
  for (const char* email :
       {"", "ada", "ada@", "@example.com", "a b@example.com", "ada@example", "ada@exa_mple.com", "ada@-example.com",
        ".ada@example.com", "a..b@example.com", "ada@example..com", "ada@example.com\n", "ada@ex@ample.com"})
    EXPECT_EQ(register_as(email).error().kind, Kind::invalid) << email;
  EXPECT_FALSE(agentbox::normalised_email(std::string(65, 'a') + "@example.com"));
  EXPECT_TRUE(agentbox::normalised_email(std::string(64, 'a') + "@example.com"));
  EXPECT_EQ(agentbox::normalised_email("O'Brien+box@Mail.Example.com"), "o'brien+box@mail.example.com");
}

TEST_F(Accounts, WalletAddressesAreReserved) {
  EXPECT_EQ(register_as("0xabc@wallet.app").error().kind, Kind::invalid);
  EXPECT_EQ(register_as("0xabc@WALLET.APP").error().kind, Kind::invalid);
  EXPECT_TRUE(register_as("someone@notwallet.app"));
}

TEST_F(Accounts, WeakPasswordsAreRefused) {
  EXPECT_THAT(register_as("a@example.com", "short").error().message, HasSubstr("8 characters"));
  EXPECT_THAT(register_as("a@example.com", "Password1").error().message, HasSubstr("most used"));
  EXPECT_THAT(register_as("a@example.com", "a@example.com").error().message, HasSubstr("email"));
  EXPECT_FALSE(accounts.find_by_email("a@example.com"));
}

TEST_F(Accounts, NewUsersAreObservedWithTheirReferrer) {
  const store::CounterName seen{"seen"};
  std::vector<store::UserId> referrers;
  events.account_created.subscribe([&](const accounts::Newcomer& newcomer, store::Change& change) {
    referrers.push_back(newcomer.referrer ? newcomer.referrer->id : 0);
    change.add(newcomer.user.id, seen, 1);
  });
  const auto first = register_as("first@example.com").value();
  std::string code = first.referral_code;
  for (char& c : code) c = static_cast<char>(std::toupper(c));
  const auto second = register_as("second@example.com", "correct horse battery", code).value();
  EXPECT_EQ(second.referred_by, first.id);
  EXPECT_THAT(referrers, testing::ElementsAre(0, first.id));
  EXPECT_EQ(system.counter(second.id, seen), 1) << "what is added to the change is stored with the user";
}

TEST_F(Accounts, AnUnknownReferralCodeIsRefused) {
  for (const char* code : {"nobody-has-this", "with space", "", "much-too-long-for-a-code", "n\xc3\xb6"})
    EXPECT_THAT(register_as("a@example.com", "correct horse battery", code).error().message, HasSubstr("referralCode"))
        << code;
}

TEST_F(Accounts, AWrongPasswordAndAnUnknownEmailGetTheSameAnswer) {
  ASSERT_TRUE(register_as("ada@example.com"));
  EXPECT_TRUE(log_in("Ada@example.com", "correct horse battery"));
  const auto wrong = log_in("ada@example.com", "something else").error();
  const auto unknown = log_in("nobody@example.com", "something else").error();
  EXPECT_EQ(wrong.kind, Kind::unauthenticated);
  EXPECT_EQ(unknown.kind, Kind::unauthenticated);
  EXPECT_EQ(wrong.message, unknown.message);
}

TEST_F(Accounts, TooManyFailuresLockKnownAndUnknownAccounts) {
  ASSERT_TRUE(register_as("ada@example.com"));
  for (const char* email : {"ada@example.com", "nobody@example.com"}) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(log_in(email, "wrong password").error().kind, Kind::unauthenticated);
    EXPECT_EQ(log_in(email, "correct horse battery").error().kind, Kind::too_many) << email;
  }
  EXPECT_TRUE(register_as("other@example.com"));
  EXPECT_TRUE(log_in("other@example.com", "correct horse battery"));
}

TEST_F(Accounts, ASuccessResetsTheFailures) {
  ASSERT_TRUE(register_as("ada@example.com"));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(log_in("ada@example.com", "wrong password"));
    EXPECT_TRUE(log_in("ada@example.com", "correct horse battery"));
  }
}

TEST_F(Accounts, FailuresElsewhereKeepNobodyOut) {
  const auto user = register_as("ada@example.com").value();
  for (int i = 0; i < 5; ++i)
    EXPECT_FALSE(run(accounts.authenticate("ada@example.com", "wrong password", "network b")));
  EXPECT_EQ(run(accounts.authenticate("ada@example.com", "correct horse battery", "network b")).error().kind,
            Kind::too_many);
  EXPECT_TRUE(log_in("ada@example.com", "correct horse battery"));
  EXPECT_TRUE(run(accounts.prove_password(caller(user), "correct horse battery")));
}

TEST_F(Accounts, StepUpCountsEachSessionByItself) {
  const auto user = register_as("ada@example.com").value();
  const auto thief = caller(user), own = caller(user);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(run(accounts.prove_password(thief, "wrong password")).error().kind, Kind::invalid);
  EXPECT_EQ(run(accounts.prove_password(thief, "correct horse battery")).error().kind, Kind::too_many);
  EXPECT_EQ(run(accounts.change_password(user.id, thief.credential, "correct horse battery", "a password by hand"))
                .error()
                .kind,
            Kind::too_many);
  EXPECT_TRUE(run(accounts.prove_password(own, "correct horse battery")));
  EXPECT_TRUE(log_in("ada@example.com", "correct horse battery"));
}

TEST_F(Accounts, ANewPasswordByTheAdminAndUnlockingForgetFailures) {
  const auto user = register_as("ada@example.com").value();
  const auto lock = [&] {
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(log_in("ada@example.com", "wrong password"));
  };
  lock();
  EXPECT_EQ(log_in("ada@example.com", "correct horse battery").error().kind, Kind::too_many);
  accounts.unlock(user);
  EXPECT_TRUE(log_in("ada@example.com", "correct horse battery"));
  lock();
  ASSERT_TRUE(run(
      accounts.change_as_admin(user.id, {.password = "a password by the admin", .is_admin = {}, .is_disabled = {}})));
  EXPECT_TRUE(log_in("ada@example.com", "a password by the admin"));
}

TEST_F(Accounts, ManyFailuresOfAUserAreReported) {
  const auto user = register_as("ada@example.com").value();
  std::vector<std::pair<store::UserId, unsigned>> reports;
  accounts.report_guesses_to([&](store::UserId id, unsigned failures) -> web::Task<> {
    reports.emplace_back(id, failures);
    co_return;
  });
  for (int i = 0; i < 120; ++i)
    for (const char* email : {"ada@example.com", "nobody@example.com"})
      EXPECT_FALSE(run(accounts.authenticate(email, "wrong password", "network " + std::to_string(i))));
  EXPECT_EQ(reports, (std::vector{std::pair(user.id, 100u)}));
}

TEST_F(Accounts, ADisabledUserCannotSignIn) {
  const auto user = register_as("ada@example.com").value();
  const std::string token = sign_in(user);
  ASSERT_TRUE(run(accounts.change_as_admin(user.id, {.password = {}, .is_admin = {}, .is_disabled = true})));
  EXPECT_FALSE(log_in("ada@example.com", "correct horse battery"));
  EXPECT_FALSE(session_of(token));
}

TEST_F(Accounts, ANewEmailIsUnverified) {
  const auto user = run(accounts.create_without_password("ada@example.com", "Ada", true)).value();
  EXPECT_FALSE(accounts.new_email(user, "ADA@example.com").value()) << "the same one";
  const auto email = accounts.new_email(user, "New@example.com").value();
  const auto changed = run(accounts.change_profile(caller(user), {.name = "Ada L.", .email = email}));
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->email, "new@example.com");
  EXPECT_EQ(changed->name, "Ada L.");
  EXPECT_FALSE(changed->email_verified);
  EXPECT_FALSE(accounts.find_by_email("ada@example.com"));
}

TEST_F(Accounts, AnEmailOfAnotherUserIsRefused) {
  const auto user = register_as("ada@example.com").value();
  ASSERT_TRUE(register_as("other@example.com"));
  const accounts::ProfileChange others{.name = {}, .email = "other@example.com"};
  EXPECT_EQ(run(accounts.change_profile(caller(user), others)).error().kind, Kind::conflict);
  EXPECT_EQ(accounts.new_email(user, "0xabc@wallet.app").error().kind, Kind::invalid);
  EXPECT_EQ(accounts.new_email(user, "no address").error().kind, Kind::invalid);
}

TEST_F(Accounts, AdminsHaveProvedAListedAddressOrHaveTheFlag) {
  const auto plain = register_as("ada@example.com").value();
  EXPECT_TRUE(accounts.is_admin({.email = "root@example.com", .email_verified = true}));
  EXPECT_FALSE(accounts.is_admin({.email = "root@example.com"}));
  EXPECT_FALSE(accounts.is_admin({.email = "ada@example.com", .email_verified = true}));
  EXPECT_FALSE(accounts.is_admin(plain));
  EXPECT_TRUE(accounts.is_admin(
      run(accounts.change_as_admin(plain.id, {.password = {}, .is_admin = true, .is_disabled = {}})).value()));
}

TEST_F(Accounts, RegisteringAListedAddressMakesNoAdmin) {
  const auto user = register_as("Root@Example.com").value();
  EXPECT_FALSE(accounts.is_admin(user));
}

TEST_F(Accounts, AProvedAddressChangedToAListedOneIsUnproved) {
  const auto user = run(accounts.create_without_password("ada@example.com", "Ada", true)).value();
  const auto listed = accounts.new_email(user, "root@example.com").value();
  const auto changed = run(accounts.change_profile(caller(user), {.name = {}, .email = listed})).value();
  EXPECT_EQ(changed.email, "root@example.com");
  EXPECT_FALSE(accounts.is_admin(changed));
}

TEST_F(Accounts, TheProvedOwnerOfAListedAddressTakesItOverAndIsAdmin) {
  const auto squatter = register_as("root@example.com").value();
  const std::string session = sign_in(squatter);
  const auto nothing = [](const accounts::User&, store::Change&) { return web::Result<void>(); };
  const auto owner = run(accounts.claim(squatter, nothing)).value();
  EXPECT_TRUE(accounts.is_admin(owner));
  EXPECT_FALSE(session_of(session));
  EXPECT_FALSE(log_in("root@example.com", "correct horse battery"));
}

TEST_F(Accounts, UsersAreListedInPages) {
  std::vector<store::UserId> ids;
  for (const char* name : {"a", "b", "c"}) ids.push_back(register_as(std::string(name) + "@example.com")->id);
  const auto first = accounts.list(0, 2);
  ASSERT_EQ(first.size(), 2u);
  const auto rest = accounts.list(first.back().id, 2);
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ((std::vector{first[0].id, first[1].id, rest[0].id}), ids);
}

}  // namespace accounts_test
