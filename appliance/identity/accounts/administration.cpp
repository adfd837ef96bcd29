#include "appliance/identity/accounts/administration.h"

#include <algorithm>

#include "appliance/access/records.h"
#include "appliance/foundation/email.h"
#include "appliance/identity/accounts/self_service.h"

namespace accounts {

namespace {

std::string summary_of(const AdminEdit& edit) {
  const AdminChange& account = edit.account;
  std::string words = "changed by admin:";
  if (account.password) words += " password";
  if (account.is_admin) words += *account.is_admin ? " granted" : " revoked";
  if (account.is_support) words += *account.is_support ? " support granted" : " support revoked";
  if (account.is_disabled) words += *account.is_disabled ? " disabled" : " enabled";
  if (edit.plan) words += " plan " + *edit.plan;
  return words;
}

}  // namespace

std::optional<User> Administration::find(const std::string& name) const {
  if (const auto id = parse_user_id(name)) return accounts_.find(*id);
  if (const auto email = agentbox::normalised_email(name)) return accounts_.find_by_email(*email);
  return std::nullopt;
}

web::Task<> Administration::note(const audit::Actor& actor, std::string act, const User& user,
                                 std::optional<web::Error> error) {
  auto entry = audit::entry_by(actor, std::move(act), user.email);
  entry.user_id = user.id;
  if (error) entry.outcome = error->message;
  co_await audit_.note(std::move(entry));
}

web::Task<web::Result<User>> Administration::create(audit::Actor actor, AdminNewUser given, PlanDirectory& plans) {
  if (given.plan) {
    const auto valid = plans.check(*given.plan);
    if (!valid) co_return valid.error();
  }
  std::string act = given.account.is_admin ? "created by admin: granted" : "created by admin";
  if (given.plan) act += " plan " + *given.plan;
  User subject{.email = given.account.email};
  auto user = co_await accounts_.create_as_admin(std::move(given.account));
  if (user) subject = *user;
  if (user && given.plan) {
    const auto assigned = co_await plans.assign(user->id, *given.plan);
    if (!assigned) user = assigned.error();
  }
  auto error = user ? std::nullopt : std::optional(user.error());
  co_await note(actor, std::move(act), subject, std::move(error));
  co_return user;
}

web::Task<web::Result<User>> Administration::edit(audit::Actor actor, User user, AdminEdit edit, PlanDirectory& plans) {
  if (edit.plan) {
    const auto valid = plans.check(*edit.plan);
    if (!valid) co_return valid.error();
  }
  std::string act = summary_of(edit);
  auto edited = co_await accounts_.change_as_admin(user.id, std::move(edit.account));
  if (edited && edit.plan) {
    const auto assigned = co_await plans.assign(user.id, *edit.plan);
    if (!assigned) edited = assigned.error();
  }
  auto error = edited ? std::nullopt : std::optional(edited.error());
  co_await note(actor, std::move(act), user, std::move(error));
  co_return edited;
}

web::Task<> Administration::end_sessions(audit::Actor actor, User user) {
  co_await sessions_.end_all(user.id);
  co_await note(actor, "signed out by admin", user);
}

web::Task<web::Result<void>> Administration::end_session(audit::Actor actor, User user, std::string id) {
  const auto live = sessions_.of_user(user.id);
  const auto named =
      std::ranges::find_if(live, [&](const Session& session) { return session.id.substr(0, shown_id_length) == id; });
  if (named == live.end()) co_return web::not_found("No such session");
  co_await sessions_.end(named->id);
  co_await note(actor, "session ended by admin", user);
  co_return web::Result<void>();
}

web::Task<> Administration::unlock(audit::Actor actor, User user) {
  accounts_.unlock(user);
  factor_.unlock(user.id);
  co_await note(actor, "unlocked by admin", user);
}

web::Task<> Administration::remove_second_factor(audit::Actor actor, User user) {
  co_await factor_.remove(user.id);
  co_await note(actor, "second factor removed by admin", user);
}

}  // namespace accounts
