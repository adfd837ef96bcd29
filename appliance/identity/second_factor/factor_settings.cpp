#include "appliance/identity/second_factor/factor_settings.h"

#include <algorithm>

namespace second_factor {

namespace {

template <class T>
std::optional<web::Error> error_of(const web::Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error());
}

}  // namespace

web::Task<> FactorSettings::note(audit::Entry entry, std::optional<web::Error> error) {
  if (error && error->code == "SECOND_FACTOR_REQUIRED") co_return;  // a challenge, not an attempt
  if (error) entry.outcome = error->message;
  co_await audit_.note(std::move(entry));
}

web::Task<web::Result<accounts::User>> FactorSettings::verify(audit::Actor actor, std::string factor,
                                                              StepUpProof proof) {
  auto user = co_await step_up(accounts_, sessions_, factor_, actor.caller, std::move(proof));
  if (user) co_return user;
  auto entry = audit::entry_by(actor, "second factor begun", std::move(factor));
  auto error = error_of(user);
  co_await note(std::move(entry), std::move(error));
  co_return user.error();
}

web::Result<Overview> FactorSettings::overview(store::UserId id) const {
  const auto user = accounts_.find(id);
  if (!user) return web::unauthenticated();
  return Overview{factor_.state(id), must_enrol_(*user), accounts_.has_password(*user)};
}

web::Task<web::Result<AppSecret>> FactorSettings::begin_app(audit::Actor actor, StepUpProof proof) {
  if (factor_.state(actor.caller.user_id).has_app) co_return web::conflict("An app is in use: remove it first");
  const auto user = co_await verify(actor, "app", std::move(proof));
  if (!user) co_return user.error();
  auto secret = co_await factor_.begin_app(actor.caller);
  if (!secret) co_return secret.error();
  co_return AppSecret{std::move(*secret), user->email};
}

web::Task<web::Result<std::vector<std::string>>> FactorSettings::confirm_app(audit::Actor actor, std::string code) {
  auto codes = co_await factor_.confirm_app(actor.caller, std::move(code));
  auto entry = audit::entry_by(actor, "second factor set up", "app");
  auto error = error_of(codes);
  co_await note(std::move(entry), std::move(error));
  co_return codes;
}

web::Task<web::Result<void>> FactorSettings::remove_app(audit::Actor actor, Proof proof) {
  const auto user = actor.caller.user_id;
  if (!factor_.state(user).has_app) co_return web::not_found("No app is in use");
  auto done = co_await factor_.check(user, std::move(proof), Purpose::change);
  if (done) done = co_await factor_.remove_app(user);
  auto entry = audit::entry_by(actor, "second factor removed", "app");
  auto error = error_of(done);
  co_await note(std::move(entry), std::move(error));
  co_return done;
}

web::Task<web::Result<std::vector<std::string>>> FactorSettings::renew_recovery_codes(audit::Actor actor, Proof proof) {
  const auto user = actor.caller.user_id;
  if (!factor_.is_on(user)) co_return web::conflict("Set an app or a passkey up first");
  const auto checked = co_await factor_.check(user, std::move(proof), Purpose::change);
  web::Result<std::vector<std::string>> codes = std::vector<std::string>();
  if (checked)
    codes = co_await factor_.renew_recovery_codes(actor.caller);
  else
    codes = checked.error();
  auto entry = audit::entry_by(actor, "recovery codes renewed", "");
  auto error = error_of(codes);
  co_await note(std::move(entry), std::move(error));
  co_return codes;
}

web::Task<web::Result<void>> FactorSettings::disable(audit::Actor actor, Proof proof) {
  const auto user = actor.caller.user_id;
  if (!factor_.is_on(user)) co_return web::conflict("The second factor is off already");
  auto checked = co_await factor_.check(user, std::move(proof), Purpose::change);
  if (checked) co_await factor_.remove(user);
  auto entry = audit::entry_by(actor, "second factor removed", "all");
  auto error = error_of(checked);
  co_await note(std::move(entry), std::move(error));
  co_return checked;
}

web::Task<web::Result<CreationOptions>> FactorSettings::begin_passkey(audit::Actor actor, std::string origin,
                                                                      StepUpProof proof) {
  if (auto refused = factor_.passkeys().refuse_origin(origin)) co_return std::move(*refused);
  const auto user = co_await verify(std::move(actor), "passkey", std::move(proof));
  if (!user) co_return user.error();
  co_return factor_.passkeys().creation_options(*user);
}

web::Task<web::Result<Passkeys::Added>> FactorSettings::add_passkey(audit::Actor actor, std::string name,
                                                                    webauthn::Created credential) {
  auto entry = audit::entry_by(actor, "second factor set up", "passkey " + name);
  auto added = co_await factor_.passkeys().add(actor.caller, std::move(name), std::move(credential));
  auto error = error_of(added);
  co_await note(std::move(entry), std::move(error));
  co_return added;
}

web::Task<web::Result<Passkey>> FactorSettings::rename_passkey(store::UserId user, std::string id, std::string name) {
  co_return co_await factor_.passkeys().rename(user, std::move(id), std::move(name));
}

web::Task<web::Result<void>> FactorSettings::remove_passkey(audit::Actor actor, std::string id, Proof proof) {
  const auto user = actor.caller.user_id;
  const auto own = passkeys(user);
  const auto named = std::ranges::find(own, id, &Passkey::id);
  if (named == own.end()) co_return web::not_found("No such passkey");
  auto done = co_await factor_.check(user, std::move(proof), Purpose::change);
  if (done) done = co_await factor_.passkeys().remove(user, std::move(id));
  auto entry = audit::entry_by(actor, "second factor removed", "passkey " + named->name);
  auto error = error_of(done);
  co_await note(std::move(entry), std::move(error));
  co_return done;
}

}  // namespace second_factor
