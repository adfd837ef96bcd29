#include "appliance/identity/second_factor/second_factor.h"

#include "appliance/access/epochs.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/crypto/totp.h"
#include "appliance/identity/second_factor/recovery_codes.h"
#include "store/clock.h"
#include "store/transact.h"
#include "web/routes/reply.h"

namespace second_factor {

namespace {

constexpr std::size_t secret_bytes = 20;
constexpr std::string_view every_source;

web::Error wrong_code() { return web::invalid("code is wrong, or was used"); }

bool spend_app_code(Factor& factor, const std::string& code) {
  const auto now = crypto::totp_step(store::now());
  const auto step = crypto::totp_step_of(factor.secret.clear, code, now, factor.last_step);
  if (step) factor.last_step = *step;
  return step.has_value();
}

// Marks the code as used; false if it is not one of the factor's.
bool spend(Factor& factor, const std::string& code) {
  return (factor.is_confirmed && spend_app_code(factor, code)) || spend_recovery_code(factor, code);
}

}  // namespace

SecondFactor::State SecondFactor::state(store::UserId user) const {
  const auto row = system_.get(factors, user);
  if (!row || !row->value.is_on()) return {};
  return {row->value.is_confirmed, row->value.passkeys, row->value.recovery_codes.size()};
}

web::Task<web::Result<std::string>> SecondFactor::begin_app(web::Caller caller) {
  const std::string secret = crypto::random_bytes(secret_bytes);
  const auto step = [&](store::Change& change) -> web::Result<std::string> {
    const auto session = accounts::advance_credential_epoch(system_, caller, change);
    if (!session) return session.error();
    auto row = system_.get(factors, caller.user_id);
    if (row && row->value.is_confirmed) return web::conflict("An app is in use: remove it first");
    Factor factor = row ? row->value : Factor{.user_id = caller.user_id, .created_at = store::now()};
    factor.secret = store::Sealed{secret};
    factor.last_step = 0;
    if (row) {
      row->value = factor;
      change.update(factors, *row);
    } else {
      change.insert(factors, factor);
    }
    return crypto::to_base32(secret);
  };
  co_return co_await store::transact(system_, step);
}

web::Task<web::Result<std::vector<std::string>>> SecondFactor::confirm_app(web::Caller caller, std::string code) {
  const auto step = [&](store::Change& change) -> web::Result<std::vector<std::string>> {
    const auto session = accounts::advance_credential_epoch(system_, caller, change);
    if (!session) return session.error();
    auto row = system_.get(factors, caller.user_id);
    if (!row || row->value.is_confirmed || row->value.secret.clear.empty() || !spend_app_code(row->value, code))
      return wrong_code();
    row->value.is_confirmed = true;
    auto codes = generate_codes_if_none(row->value);
    change.update(factors, *row);
    return codes;
  };
  co_return co_await store::transact(system_, step);
}

web::Task<web::Result<void>> SecondFactor::remove_app(store::UserId user) {
  const auto step = [&](store::Change& change) -> web::Result<void> {
    auto row = system_.get(factors, user);
    if (!row || !row->value.is_confirmed) return web::not_found("No app is in use");
    row->value.is_confirmed = false;
    row->value.secret = {};
    if (row->value.is_on())
      change.update(factors, *row);
    else
      change.erase(factors, *row);
    return web::Result<void>();
  };
  co_return co_await store::transact(system_, step);
}

web::Task<web::Result<std::vector<std::string>>> SecondFactor::renew_recovery_codes(web::Caller caller) {
  const auto step = [&](store::Change& change) -> web::Result<std::vector<std::string>> {
    const auto session = accounts::advance_credential_epoch(system_, caller, change);
    if (!session) return session.error();
    auto row = system_.get(factors, caller.user_id);
    if (!row || !row->value.is_on()) return web::conflict("Set an app or a passkey up first");
    auto codes = generate_codes(row->value);
    change.update(factors, *row);
    return codes;
  };
  co_return co_await store::transact(system_, step);
}

web::Error SecondFactor::required(store::UserId user, Purpose purpose) const {
  web::Error challenge = web::unauthenticated("A code or a passkey of your second factor is required");
  challenge.code = "SECOND_FACTOR_REQUIRED";
  challenge.extra["passkey"] = web::to_json(passkeys_.request_options(user, purpose));
  return challenge;
}

web::Task<web::Result<void>> SecondFactor::check(store::UserId user, Proof proof, Purpose purpose) {
  if (proof.is_empty()) co_return required(user, purpose);
  const std::string name = std::to_string(user);
  web::Result<void> verified = web::unauthenticated("Invalid credentials");
  if (!limit_.blocked(name, every_source)) verified = co_await verify(user, std::move(proof), purpose);
  // Concurrent guesses do not get past the limit: one that finishes beyond it learns nothing.
  if (const auto delay = limit_.blocked(name, every_source))
    co_return accounts::delayed(*delay, "Too many wrong codes, please try again later.");
  if (verified) {
    limit_.succeeded(name, every_source);
  } else if (const auto failures = limit_.failed(name, every_source); failures && on_guesses_) {
    co_await on_guesses_(user, *failures);
  }
  co_return verified;
}

void SecondFactor::unlock(store::UserId user) { limit_.clear(std::to_string(user)); }

web::Task<web::Result<void>> SecondFactor::verify(store::UserId user, Proof proof, Purpose purpose) {
  if (proof.passkey) {
    const auto checked = co_await passkeys_.check(user, std::move(*proof.passkey), purpose);
    if (!checked) co_return web::unauthenticated("The passkey was refused: " + checked.error().message);
    co_return web::Result<void>();
  }
  const bool is_right = co_await spend_stored(user, std::move(*proof.code));
  if (!is_right) co_return web::unauthenticated("Invalid credentials");
  co_return web::Result<void>();
}

web::Task<bool> SecondFactor::spend_stored(store::UserId user, std::string code) {
  const auto step = [&](store::Change& change) -> bool {
    auto row = system_.get(factors, user);
    if (!row || !row->value.is_on() || !spend(row->value, code)) return false;
    change.update(factors, *row);
    return true;
  };
  co_return co_await store::transact(system_, step);
}

web::Task<> SecondFactor::remove(store::UserId user) {
  while (system_.get(factors, user)) {
    auto change = system_.change();
    remove(user, change);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) break;
  }
  unlock(user);
}

// A passkey that is added concurrently changes the factor, which makes this change stale.
void SecondFactor::remove(store::UserId user, store::Change& change) const {
  const auto factor = system_.get(factors, user);
  if (!factor) return;
  change.erase(factors, *factor);
  const auto tenant = system_.tenant(user);
  for (const auto& passkey : tenant.list(second_factor::passkeys, store::Page{.limit = passkeys_per_user}))
    if (const auto row = tenant.get(second_factor::passkeys, passkey.id)) change.erase(second_factor::passkeys, *row);
}

void SecondFactor::remove_unconfirmed(store::System system, store::UserId user, store::Change& change) {
  auto factor = system.get(factors, user);
  if (!factor || factor->value.is_confirmed) return;
  factor->value.secret = {};
  if (factor->value.is_on())
    change.update(factors, *factor);
  else
    change.erase(factors, *factor);
}

}  // namespace second_factor
