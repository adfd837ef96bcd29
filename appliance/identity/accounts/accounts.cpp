#include "appliance/identity/accounts/accounts.h"

#include <algorithm>
#include <stdexcept>

#include "appliance/access/epochs.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/email.h"
#include "appliance/identity/accounts/common_passwords.h"
#include "appliance/identity/accounts/last_admin.h"
#include "store/transact.h"
#include "web/ascii.h"

namespace accounts {

namespace {

web::Error wrong_credentials() { return web::unauthenticated("Invalid credentials"); }
web::Error changed_meanwhile() { return web::conflict("The account was changed meanwhile"); }
web::Error user_exists() { return web::conflict("A user with this email already exists"); }
web::Error too_many_failures(const LoginLimit::Delay& delay) {
  return delayed(delay, "Too many failed sign-ins for this account, please try again later.");
}
web::Error passwords_off() {
  web::Error refused = web::forbidden("Passwords are off on this box: sign in with its identity provider");
  refused.code = "PASSWORDS_OFF";
  return refused;
}
web::Error provider_makes_no_admins() {
  return web::forbidden("Administrators, and their addresses, are changed on the box alone");
}
std::string session_source(const std::string& session) { return "session " + session; }

// Alphanumeric and hyphens, at most 20 characters; in lower case.
std::optional<std::string> normalised_code(std::string_view text) {
  if (text.empty() || text.size() > 20) return std::nullopt;
  if (!std::ranges::all_of(text, [](char c) { return web::is_alphanumeric(c) || c == '-'; })) return std::nullopt;
  return web::lower_case(text);
}

web::Result<std::string> address_to_register(std::string_view text) {
  auto email = agentbox::normalised_email(text);
  if (!email) return web::invalid("email is not a valid address");
  if (agentbox::is_reserved_email(*email))
    return web::invalid("email must not end in @wallet.app: sign in with the wallet");
  return std::move(*email);
}

}  // namespace

Accounts::Accounts(store::System system, PasswordHasher& hasher, Sessions& session_service, LoginLimit& login_limit,
                   const agentbox::Events& events, std::vector<std::string> admin_emails)
    : system_(std::move(system)),
      hasher_(hasher),
      sessions_(session_service),
      login_limit_(login_limit),
      events_(events),
      admin_emails_(std::move(admin_emails)) {}

std::optional<web::Error> Accounts::refuse_password(std::string_view password, std::string_view email) {
  if (password.size() < 8) return web::invalid("password must be at least 8 characters");
  if (is_common_password(password)) return web::invalid("password is one of the most used ones, please choose another");
  if (password == email) return web::invalid("password must not be the email");
  return std::nullopt;
}

bool Accounts::is_break_glass(const User& user) const {
  return password_policy_.is_off && !password_policy_.break_glass.empty() &&
         user.email == password_policy_.break_glass && is_admin(user);
}

bool Accounts::has_password(const User& user) const {
  return !user.password_hash.empty() && (!password_policy_.is_off || is_break_glass(user));
}

web::Result<void> Accounts::admit_password_of(const User& user) const {
  if (password_policy_.is_off && !is_break_glass(user)) return passwords_off();
  return {};
}

web::Task<web::Result<User>> Accounts::create(Registration registration) {
  if (password_policy_.is_off) co_return passwords_off();
  if (const auto open = registration_.check(registration.invite_code); !open) co_return open.error();
  const auto email = address_to_register(registration.email);
  if (!email) co_return email.error();
  if (auto refused = refuse_password(registration.password, *email)) co_return std::move(*refused);
  std::optional<User> referrer;
  if (registration.referral_code) {
    const auto code = normalised_code(*registration.referral_code);
    if (code) {
      if (auto row = system_.find_unique(users, "referral_code", *code)) referrer = std::move(row->value);
    }
    if (!referrer) co_return web::invalid("referralCode is not a code of ours");
  }
  const bool is_known = find_by_email(*email).has_value();
  if (is_known && !registration.hides_known_address) co_return user_exists();

  auto hashed = co_await hasher_.hash(std::move(registration.password));
  if (!hashed) co_return hashed.error();
  if (is_known) co_return user_exists();
  User user{.email = *email, .name = registration.name.value_or(*email), .password_hash = std::move(*hashed)};
  const Admit admit = [this, code = std::move(registration.invite_code)](const User& newcomer, store::Change& change) {
    return registration_.admit(code, newcomer.id, change);
  };
  co_return co_await insert(std::move(user), std::move(referrer), admit);
}

web::Task<web::Result<User>> Accounts::create_as_admin(NewUser given) {
  const auto email = address_to_register(given.email);
  if (!email) co_return email.error();
  User user{.email = *email,
            .name = given.name.value_or(*email),
            .password_hash = {},
            .is_admin = given.is_admin,
            .email_verified = given.is_email_verified};
  if (given.password) {
    if (const auto admitted = admit_password_of(user); !admitted) co_return admitted.error();
    if (auto refused = refuse_password(*given.password, *email)) co_return std::move(*refused);
    if (find_by_email(*email)) co_return user_exists();
    auto hashed = co_await hasher_.hash(std::move(*given.password));
    if (!hashed) co_return hashed.error();
    user.password_hash = std::move(*hashed);
  }
  co_return co_await insert(std::move(user), std::nullopt, {});
}

web::Task<web::Result<User>> Accounts::create_without_password(std::string email, std::string name,
                                                               bool is_email_verified,
                                                               std::optional<std::string> invite_code) {
  User user{
      .email = email, .name = name.empty() ? email : name, .password_hash = {}, .email_verified = is_email_verified};
  const Admit admit = [this, code = std::move(invite_code)](const User& newcomer, store::Change& change) {
    return registration_.admit(code, newcomer.id, change);
  };
  co_return co_await insert(std::move(user), std::nullopt, admit);
}

// Sets id, referral code and date.
web::Task<web::Result<User>> Accounts::insert(User user, std::optional<User> referrer, Admit admit) {
  user.id = co_await system_.next_id("users");
  user.referral_code = crypto::random_id(referral_code_length);
  user.referred_by = referrer ? referrer->id : 0;
  user.created_at = store::now();
  for (const store::Patience patience;; patience.spend()) {
    auto change = system_.change();
    Newcomer newcomer{.user = user, .referrer = referrer ? &*referrer : nullptr, .has_plan = false};
    if (admit) {
      const auto admitted = admit(user, change);
      if (!admitted) co_return admitted.error();
      newcomer.has_plan = *admitted;
    }
    change.insert(users, user);
    events_.account_created.publish(newcomer, change);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return user;
    if (outcome.duplicate("email")) co_return user_exists();
    // Stale: something that admitted the registration was changed meanwhile.
    if (outcome.kind == store::Outcome::Kind::stale) continue;
    if (!outcome.duplicate("referral_code")) {
      // Something unique that `admit` adds was taken meanwhile: it finds that now, and refuses.
      if (admit) continue;
      throw std::logic_error("users: unexpected conflict on " + outcome.index);
    }
    user.referral_code = crypto::random_id(referral_code_length);
  }
}

web::Task<web::Result<User>> Accounts::authenticate(std::string email, std::string password, std::string source) {
  const std::string name = agentbox::normalised_email(email).value_or("");
  if (const auto delay = login_limit_.blocked(name, source)) co_return too_many_failures(*delay);
  auto user = find_by_email(name);
  std::string encoded = user && has_password(*user) ? user->password_hash : std::string();
  const auto matches = co_await hasher_.matches(std::move(password), std::move(encoded));
  if (!matches) co_return matches.error();
  // Concurrent guesses do not get past the limit: one that finishes beyond it learns nothing.
  if (const auto delay = login_limit_.blocked(name, source)) co_return too_many_failures(*delay);
  if (!*matches || user->is_disabled) {
    std::optional<store::UserId> known;  // before the co_await: g++ 12 evaluates both branches of ?: in its operand
    if (user) known = user->id;
    co_await count_failure(name, source, known);
    co_return wrong_credentials();
  }
  login_limit_.succeeded(name, source);
  co_return std::move(*user);
}

web::Task<> Accounts::count_failure(const std::string& email, const std::string& source,
                                    std::optional<store::UserId> user) {
  const auto failures = login_limit_.failed(email, source);
  if (failures && user && on_guesses_) co_await on_guesses_(*user, *failures);
}

std::optional<User> Accounts::find(store::UserId id) const {
  const auto user = system_.cached(users, id);
  return user ? std::optional(*user) : std::nullopt;
}

std::optional<User> Accounts::find_by_email(std::string_view email) const {
  if (email.empty()) return std::nullopt;
  auto row = system_.find_unique(users, "email", std::string(email));
  if (!row) return std::nullopt;
  return std::move(row->value);
}

bool Accounts::is_listed_admin(std::string_view email) const {
  return std::ranges::find(admin_emails_, email) != admin_emails_.end();
}

bool Accounts::is_admin(const User& user) const {
  return user.is_admin || (user.email_verified && is_listed_admin(user.email));
}

std::vector<User> Accounts::list(store::UserId after, std::size_t limit) const {
  std::vector<User> page;
  if (limit == 0) return page;
  system_.each<User, std::int64_t>(users, [&](const User& user) {
    if (user.id > after) page.push_back(user);
    return page.size() < limit;
  });
  return page;
}

web::Task<web::Result<User>> Accounts::edit(store::UserId id, Apply apply) {
  for (;;) {
    const auto known = system_.cached_row(users, id);
    if (!known) co_return web::not_found("No such user");
    auto row = *known;
    auto change = system_.change();
    const auto applied = apply(row.value, change);
    if (!applied) co_return applied.error();
    change.update(users, row);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return std::move(row.value);
    if (outcome.duplicate("email")) co_return user_exists();
  }
}

web::Task<web::Result<void>> Accounts::verify_password(const User& user, std::string session, std::string password) {
  const std::string source = session_source(session);
  if (const auto delay = login_limit_.blocked(user.email, source)) co_return too_many_failures(*delay);
  const auto matches = co_await hasher_.matches(std::move(password), user.password_hash);
  if (!matches) co_return matches.error();
  if (const auto delay = login_limit_.blocked(user.email, source)) co_return too_many_failures(*delay);
  if (!*matches) {
    co_await count_failure(user.email, source, user.id);
    co_return web::invalid("currentPassword is wrong");
  }
  login_limit_.succeeded(user.email, source);
  co_return web::Result<void>();
}

web::Task<web::Result<void>> Accounts::prove_password(web::Caller caller, std::string password) {
  const auto user = find(caller.user_id);
  if (!user) co_return web::not_found("No such user");
  co_return co_await verify_password(*user, std::move(caller.credential), std::move(password));
}

web::Result<std::optional<std::string>> Accounts::new_email(const User& user, std::string_view text) const {
  auto email = agentbox::normalised_email(text);
  if (!email) return web::invalid("email is not a valid address");
  if (*email == user.email) return std::optional<std::string>();
  if (agentbox::is_reserved_email(*email)) return web::invalid("email must not end in @wallet.app");
  return email;
}

web::Task<web::Result<User>> Accounts::change_profile(web::Caller caller, ProfileChange profile) {
  const SessionEpoch now = profile.email ? co_await sessions_.next_epoch() : SessionEpoch();
  const Apply apply = [&](User& user, store::Change& change) -> web::Result<void> {
    if (const auto live = require_session(system_, caller, user, change); !live) return live.error();
    if (profile.name) user.name = *profile.name;
    if (profile.email) {
      user.email = *profile.email;
      user.email_verified = false;
      user.email_since = now;
    }
    return {};
  };
  co_return co_await edit(caller.user_id, apply);
}

web::Task<web::Result<void>> Accounts::change_password(store::UserId id, std::string kept_session, std::string current,
                                                       std::string replacement) {
  const auto user = find(id);
  if (!user) co_return web::not_found("No such user");
  if (const auto admitted = admit_password_of(*user); !admitted) co_return admitted.error();
  if (auto refused = refuse_password(replacement, user->email)) co_return std::move(*refused);
  const auto verified = co_await verify_password(*user, kept_session, std::move(current));
  if (!verified) co_return verified.error();
  auto hashed = co_await hasher_.hash(std::move(replacement));
  if (!hashed) co_return hashed.error();
  const SessionEpoch now = co_await sessions_.next_epoch();
  const Apply apply = [&](User& edited, store::Change& change) -> web::Result<void> {
    if (edited.password_hash != user->password_hash) return changed_meanwhile();
    edited.password_hash = *hashed;
    sessions_.end_all(edited, now, change, kept_session);
    return {};
  };
  const auto edited = co_await edit(id, apply);
  if (!edited) co_return edited.error();
  co_await sessions_.remove_ended(id);
  co_return web::Result<void>();
}

web::Task<web::Result<User>> Accounts::change_as_admin(store::UserId id, AdminChange changes) {
  std::string hash;
  if (changes.password) {
    const auto user = find(id);
    if (!user) co_return web::not_found("No such user");
    if (const auto admitted = admit_password_of(*user); !admitted) co_return admitted.error();
    if (auto refused = refuse_password(*changes.password, user->email)) co_return std::move(*refused);
    auto hashed = co_await hasher_.hash(std::move(*changes.password));
    if (!hashed) co_return hashed.error();
    hash = std::move(*hashed);
  }
  const bool ends_sessions = changes.is_disabled.value_or(false) || !hash.empty();
  const SessionEpoch now = ends_sessions ? co_await sessions_.next_epoch() : SessionEpoch();
  const Apply apply = [&](User& user, store::Change& change) -> web::Result<void> {
    const bool was_admin = is_acting_admin(*this, user);
    if (!hash.empty()) user.password_hash = hash;
    if (changes.is_admin) user.is_admin = *changes.is_admin;
    if (changes.is_support) user.is_support = *changes.is_support;
    if (changes.is_disabled) user.is_disabled = *changes.is_disabled;
    if (was_admin && !is_acting_admin(*this, user)) {
      const auto allowed = require_another_admin(system_, *this, user, change);
      if (!allowed) return allowed.error();
    }
    if (ends_sessions) sessions_.end_all(user, now, change);
    return {};
  };
  auto edited = co_await edit(id, apply);
  if (edited && !hash.empty()) unlock(*edited);
  if (edited && ends_sessions) co_await sessions_.remove_ended(id);
  co_return edited;
}

web::Task<web::Result<User>> Accounts::create_provisioned(ProvisionedUser given, Also also) {
  const auto email = address_to_register(given.email);
  if (!email) co_return email.error();
  User user{.email = *email,
            .name = std::move(given.name),
            .password_hash = {},
            .is_disabled = given.is_disabled,
            .email_verified = !is_listed_admin(*email)};
  const Admit admit = [&also](const User& newcomer, store::Change& change) -> web::Result<bool> {
    if (!also) return false;
    const auto added = also(newcomer, change);
    if (!added) return added.error();
    return false;
  };
  co_return co_await insert(std::move(user), std::nullopt, admit);
}

web::Task<web::Result<User>> Accounts::change_provisioned(store::UserId id, Provision provision) {
  const SessionEpoch now = co_await sessions_.next_epoch();
  bool ends_sessions = false;
  const Apply apply = [&](User& user, store::Change& change) -> web::Result<void> {
    const User before = user;
    if (const auto good = provision(user, now, change); !good) return good.error();
    const bool was_admin = is_admin(before), has_moved = user.email != before.email;
    if (has_moved) {
      user.email_verified = true;
      user.email_since = now;
    }
    if (was_admin != is_admin(user) || (was_admin && has_moved)) return provider_makes_no_admins();
    ends_sessions = user.is_disabled && !before.is_disabled;
    if (!ends_sessions) return {};
    if (is_break_glass(before)) return web::forbidden("This administrator signs in without the identity provider");
    if (was_admin)
      if (const auto allowed = require_another_admin(system_, *this, before, change); !allowed) return allowed.error();
    sessions_.end_all(user, now, change);
    return {};
  };
  auto edited = co_await edit(id, apply);
  if (edited && ends_sessions) co_await sessions_.remove_ended(id);
  co_return edited;
}

web::Task<web::Result<User>> Accounts::verify_email(web::Caller caller, Also also) {
  const Apply apply = [&](User& user, store::Change& change) -> web::Result<void> {
    if (const auto live = require_session(system_, caller, user, change); !live) return live.error();
    const auto done = also(user, change);
    if (!done) return done.error();
    user.email_verified = true;
    return {};
  };
  co_return co_await edit(caller.user_id, apply);
}

web::Task<web::Result<User>> Accounts::claim(User user, Also also) {
  if (user.email_verified || user.is_admin) co_return user;
  const SessionEpoch now = co_await sessions_.next_epoch();
  const Apply apply = [&](User& edited, store::Change& change) -> web::Result<void> {
    if (edited.email != user.email || edited.sessions_since != user.sessions_since) return changed_meanwhile();
    if (edited.email_verified) return {};
    const auto done = also(edited, change);
    if (!done) return done.error();
    edited.password_hash.clear();
    edited.email_verified = true;
    sessions_.end_all(edited, now, change);
    return {};
  };
  auto edited = co_await edit(user.id, apply);
  if (edited) co_await sessions_.remove_ended(edited->id);
  co_return edited;
}

web::Task<web::Result<std::string>> Accounts::hash_password(std::string password) {
  co_return co_await hasher_.hash(std::move(password));
}

web::Task<web::Result<User>> Accounts::reset_password(store::UserId id, std::string hash, Also also) {
  const SessionEpoch now = co_await sessions_.next_epoch();
  const Apply apply = [&](User& edited, store::Change& change) -> web::Result<void> {
    const auto done = also(edited, change);
    if (!done) return done.error();
    edited.password_hash = hash;
    edited.email_verified = true;
    sessions_.end_all(edited, now, change);
    return {};
  };
  auto edited = co_await edit(id, apply);
  if (!edited) co_return edited.error();
  unlock(*edited);
  co_await sessions_.remove_ended(id);
  co_return edited;
}

}  // namespace accounts
