#include "appliance/identity/accounts/self_service.h"

#include <algorithm>

#include "appliance/foundation/email.h"
#include "appliance/foundation/trusted_time.h"
#include "appliance/identity/accounts/user_search.h"
#include "web/admission/rate_limit.h"
#include "web/log.h"

namespace accounts {

namespace {

// Bots that fill in forms either send no User-Agent or fill in the hidden field.
bool looks_like_a_bot(const RegistrationAttempt& attempt) {
  return attempt.user_agent.empty() || !attempt.honeypot.empty();
}

constexpr std::size_t max_admins = 1'000;       // that are written to
constexpr std::chrono::hours notice_window{1};  // between two mails to an address that strangers register

std::string letter_to_owner(const std::string& sign_in_page, const std::string& origin) {
  return "Someone tried to create an account at " + origin +
         " with this e-mail address. It has an account already, which was not changed.\n\n"
         "If it was you, sign in or choose a new password at\n\n" +
         sign_in_page + "\n\nIf it was not you, there is nothing to do.\n";
}

std::string letter_about_break_glass(const std::string& account, const std::string& address,
                                     const std::string& origin) {
  return "The break-glass account " + account + " has signed in at " + origin + " with its password, from " + address +
         ".\n\nThe identity provider was not asked. If this was none of you, sign this account out everywhere, "
         "change its password, and read the audit log.\n";
}

}  // namespace

web::Task<web::Result<RegisteredUser>> SelfService::register_user(audit::Actor actor, RegistrationAttempt attempt) {
  if (looks_like_a_bot(attempt)) co_return web::forbidden("Registration was refused");
  auto entry = audit::entry_by(actor, "registered", attempt.registration.email);
  const std::string email = agentbox::normalised_email(attempt.registration.email).value_or("");
  const std::string name = attempt.registration.name.value_or(email);
  attempt.registration.hides_known_address = outbox_.is_sending();
  const auto user = co_await accounts_.create(std::move(attempt.registration));
  entry.user_id = user ? user->id : 0;
  if (!user) entry.outcome = user.error().message;
  co_await audit_.note(std::move(entry));
  if (user) {
    static_cast<void>(co_await verification_.send(user->id));
    co_return RegisteredUser{user->id, user->email, user->name};
  }
  const auto owner = user.error().kind == web::Kind::conflict ? accounts_.find_by_email(email) : std::nullopt;
  if (!owner || !outbox_.is_sending()) co_return user.error();
  co_await notify_owner(*owner);
  const store::UserId id = co_await accounts_.unused_id();
  co_return RegisteredUser{id, email, name};
}

web::Task<> SelfService::notify_owner(const User& user) {
  const auto now = agentbox::trusted_now();
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(notified_until_, [now](const auto& one) { return one.second <= now; });
    if (!notified_until_.emplace(user.id, now + notice_window).second) co_return;
  }
  mail::Letter letter{.to = user.email,
                      .subject = "You have an account already",
                      .body = letter_to_owner(site_.page_url("/login"), site_.origin())};
  co_await outbox_.post(std::move(letter));
}

// What failures are counted by, besides the account.
std::string SelfService::source_of(const sign_in::Client& client, const std::string& email) const {
  if (!client.device.empty()) {
    const auto user = accounts_.find_by_email(agentbox::normalised_email(email).value_or(""));
    const auto device = user ? devices_.find(client.device, *user, agentbox::trusted_now()) : std::nullopt;
    if (device) return "device " + *device;
  }
  return "network " + web::rate_key(client.address);
}

web::Task<web::Result<User>> SelfService::authenticate(const sign_in::Client& client, PasswordSignIn form) {
  std::string source = source_of(client, form.email);
  auto user = co_await accounts_.authenticate(std::move(form.email), std::move(form.password), std::move(source));
  if (!user || !factor_.is_on(user->id)) co_return user;
  const auto checked = co_await factor_.check(user->id, std::move(form.proof), second_factor::Purpose::sign_in);
  if (!checked) co_return checked.error();
  co_return user;
}

web::Task<web::Result<sign_in::SignInResult>> SelfService::sign_in(sign_in::Client client, PasswordSignIn form) {
  audit::Entry entry{.act = "sign-in by password", .outcome = "ok", .subject = form.email, .address = client.address};
  auto user = co_await authenticate(client, std::move(form));
  const bool is_break_glass = user && accounts_.is_break_glass(*user);
  if (is_break_glass) entry.act = "break-glass sign-in";
  std::string address = client.address;
  auto result = co_await sign_in_.complete(std::move(client), std::move(entry), std::move(user));
  if (result && is_break_glass) {
    User admin = result->user;
    co_await report_break_glass(std::move(admin), std::move(address));
  }
  co_return result;
}

web::Task<> SelfService::report_break_glass(User user, std::string address) {
  web::log::warning("break_glass_sign_in", {{"user", user.id}, {"client", address}});
  if (!users_) co_return;
  auto read = [this] { return search_users(*users_, accounts_, {.text = {}, .is_admin = true, .limit = max_admins}); };
  const auto admins = co_await web::offload(*blocking_, std::move(read));
  for (const User& admin : admins) {
    if (admin.is_disabled) continue;
    mail::Letter letter{.to = admin.email,
                        .subject = "The break-glass account has signed in",
                        .body = letter_about_break_glass(user.email, address, site_.origin())};
    co_await outbox_.post(std::move(letter));
  }
}

web::Task<bool> SelfService::sign_out(audit::Actor actor, std::vector<std::string> tokens) {
  std::vector<Sessions::SignedIn> found;
  for (const std::string& token : tokens)
    if (auto session = sessions_.find(token)) found.push_back(std::move(*session));
  try {
    for (const auto& session : found) {
      co_await sessions_.end(session.session_id);
      auto entry = audit::entry_by(actor, "signed out", session.user->email);
      entry.user_id = session.user->id;
      co_await audit_.note(std::move(entry));
    }
  } catch (const store::Unavailable&) {
    co_return false;
  }
  co_return true;
}

web::Task<web::Result<User>> SelfService::apply(const web::Caller& caller, ProfileEdit edit) {
  ProfileChange change{.name = std::move(edit.name), .email = {}};
  if (edit.email) {
    const auto user = accounts_.find(caller.user_id);
    if (!user) co_return web::unauthenticated();
    auto email = accounts_.new_email(*user, *edit.email);
    if (!email) co_return email.error();
    change.email = std::move(*email);
  }
  if (change.email) {
    const auto verified = co_await second_factor::step_up(accounts_, sessions_, factor_, caller, std::move(edit.proof));
    if (!verified) co_return verified.error();
  }
  co_return co_await accounts_.change_profile(caller, std::move(change));
}

web::Task<web::Result<User>> SelfService::edit_profile(audit::Actor actor, ProfileEdit edit) {
  const bool names_email = edit.email.has_value();
  auto entry = audit::entry_by(actor, "email changed", edit.email.value_or(""));
  const auto before = names_email ? accounts_.find(actor.caller.user_id) : std::nullopt;
  auto user = co_await apply(actor.caller, std::move(edit));
  if (!user) entry.outcome = user.error().message;
  const bool is_challenge = !user && user.error().code == "SECOND_FACTOR_REQUIRED";  // not an attempt
  const bool is_noted = before && !is_challenge && (!user || user->email != before->email);
  if (is_noted) co_await audit_.note(std::move(entry));
  // A user who has had several mails can ask for another one later.
  if (user && before && user->email != before->email) static_cast<void>(co_await verification_.send(user->id));
  co_return user;
}

std::optional<web::Cookie> SelfService::renewed_device(const web::Caller& caller, std::string_view device,
                                                       bool is_secure) const {
  const auto user = accounts_.find(caller.user_id);
  if (!user || !sessions_.began(caller.credential)) return std::nullopt;
  return devices_.issue(*user, device, is_secure, agentbox::trusted_now());
}

web::Task<web::Result<void>> SelfService::change_password(audit::Actor actor, PasswordChange change) {
  auto entry = audit::entry_by(actor, "password changed", "");
  auto changed = co_await accounts_.change_password(actor.caller.user_id, actor.caller.credential,
                                                    std::move(change.current), std::move(change.replacement));
  if (!changed) entry.outcome = changed.error().message;
  co_await audit_.note(std::move(entry));
  co_return changed;
}

web::Task<> SelfService::end_other_sessions(audit::Actor actor) {
  co_await sessions_.end_all(actor.caller.user_id, actor.caller.credential);
  auto entry = audit::entry_by(actor, "other sessions ended", "");
  co_await audit_.note(std::move(entry));
}

web::Task<web::Result<void>> SelfService::end_session(audit::Actor actor, std::string id) {
  const auto own = sessions_.of_user(actor.caller.user_id);
  const auto named =
      std::ranges::find_if(own, [&](const Session& session) { return session.id.substr(0, shown_id_length) == id; });
  if (named == own.end()) co_return web::not_found("No such session");
  co_await sessions_.end(named->id);
  auto entry = audit::entry_by(actor, "session ended", std::move(id));
  co_await audit_.note(std::move(entry));
  co_return web::Result<void>();
}

}  // namespace accounts
