#include "appliance/identity/accounts/self_service.h"

#include <algorithm>

#include "appliance/foundation/email.h"
#include "appliance/foundation/trusted_time.h"
#include "web/admission/rate_limit.h"

namespace accounts {

namespace {

// Bots that fill in forms either send no User-Agent or fill in the hidden field.
bool looks_like_a_bot(const RegistrationAttempt& attempt) {
  return attempt.user_agent.empty() || !attempt.honeypot.empty();
}

}  // namespace

web::Task<web::Result<User>> SelfService::register_user(audit::Actor actor, RegistrationAttempt attempt) {
  if (looks_like_a_bot(attempt)) co_return web::forbidden("Registration was refused");
  auto entry = audit::entry_by(actor, "registered", attempt.registration.email);
  auto user = co_await accounts_.create(std::move(attempt.registration));
  entry.user_id = user ? user->id : 0;
  if (!user) entry.outcome = user.error().message;
  co_await audit_.note(std::move(entry));
  if (user) static_cast<void>(co_await verification_.send(user->id));
  co_return user;
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
  co_return co_await sign_in_.complete(std::move(client), std::move(entry), std::move(user));
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
