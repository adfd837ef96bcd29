#include "tests/identity/people_fixture.h"

namespace keys_test {

class Keys : public people_tests::People {
 protected:
  keys::Created make(const accounts::User& user, std::optional<store::Time> expires_at = {}) {
    return run(keys.create(caller(user), "laptop", expires_at)).value();
  }
};

TEST_F(Keys, AKeyIsShownOnceAndNamesItsOwner) {
  const auto user = register_as("ada@example.com").value();
  const auto created = make(user);
  EXPECT_TRUE(created.secret.starts_with("sk_" + created.key.id + "_"));
  EXPECT_EQ(created.key.prefix, "sk_" + created.key.id);
  const auto stored = *keys.find(user.id, created.key.id);
  EXPECT_EQ(stored.secret_hash.find(created.secret.substr(created.secret.rfind('_') + 1)), std::string::npos);
  EXPECT_EQ(keys.validate(created.secret)->user->id, user.id);
}

TEST_F(Keys, MalformedKeysAreRefused) {
  const auto user = register_as("ada@example.com").value();
  const std::string secret = make(user).secret;
  std::string changed = secret;
  changed.back() = changed.back() == 'a' ? 'b' : 'a';
  for (const std::string& wrong :
       {std::string(), std::string("sk_"), changed, secret + "x", secret.substr(3), secret.substr(0, secret.size() - 1),
        "sk_0" + secret.substr(3), "SK_" + secret.substr(3)})
    EXPECT_FALSE(keys.validate(wrong)) << wrong;
}

TEST_F(Keys, KeysOfOtherUsersAreNotFound) {
  const auto ada = register_as("ada@example.com").value(), bob = register_as("bob@example.com").value();
  const auto created = make(ada);
  EXPECT_FALSE(keys.find(bob.id, created.key.id));
  EXPECT_EQ(run(keys.remove(bob.id, created.key.id)).error().kind, web::Kind::not_found);
  EXPECT_TRUE(keys.list(bob.id).empty());
  EXPECT_EQ(keys.list(ada.id).size(), 1u);
}

TEST_F(Keys, ADeletedKeyIsRefused) {
  const auto user = register_as("ada@example.com").value();
  const auto created = make(user);
  ASSERT_TRUE(run(keys.remove(user.id, created.key.id)));
  EXPECT_FALSE(keys.validate(created.secret));
}

TEST_F(Keys, AnExpiredKeyIsRefused) {
  const auto user = register_as("ada@example.com").value();
  EXPECT_FALSE(keys.validate(make(user, store::now() - std::chrono::seconds(1)).secret));
  EXPECT_TRUE(keys.validate(make(user, store::now() + std::chrono::hours(1)).secret));
}

TEST_F(Keys, ADisabledOwnersKeyIsRefused) {
  const auto user = register_as("ada@example.com").value();
  const auto created = make(user);
  ASSERT_TRUE(run(accounts.change_as_admin(user.id, {.password = {}, .is_admin = {}, .is_disabled = true})));
  EXPECT_FALSE(keys.validate(created.secret));
}

TEST_F(Keys, TheLastUseIsWrittenByTheFlush) {
  const auto user = register_as("ada@example.com").value();
  const auto created = make(user);
  ASSERT_TRUE(keys.validate(created.secret));
  EXPECT_FALSE(keys.find(user.id, created.key.id)->last_used_at);
  run(keys.flush_uses());
  EXPECT_TRUE(keys.find(user.id, created.key.id)->last_used_at);
}

TEST_F(Keys, TheNumberOfKeysIsLimited) {
  const auto user = register_as("ada@example.com").value();
  for (int i = 0; i < keys::keys_per_user; ++i) make(user);
  EXPECT_EQ(run(keys.create(caller(user), "one more", {})).error().kind, web::Kind::too_many);
  ASSERT_TRUE(run(keys.remove(user.id, keys.list(user.id).front().id)));
  EXPECT_TRUE(run(keys.create(caller(user), "one more", {})));
}

}  // namespace keys_test
