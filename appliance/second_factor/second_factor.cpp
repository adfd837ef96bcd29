#include "appliance/second_factor/second_factor.h"

#include <algorithm>

#include "appliance/crypto/random.h"
#include "appliance/crypto/totp.h"

namespace second_factor {

namespace {

constexpr std::size_t secret_bytes = 20, recovery_code_characters = 16;

std::int64_t current_step() { return crypto::totp_step(std::chrono::system_clock::now()); }

web::Error wrong_code() { return web::invalid("code is wrong, or was used"); }

// Marks the code as used; false when it is none of the factor's.
bool spend(Factor& factor, const std::string& code) {
  if (const auto step = crypto::totp_step_of(factor.secret.clear, code, current_step(), factor.last_step)) {
    factor.last_step = *step;
    return true;
  }
  return std::erase(factor.recovery_codes, crypto::sha256_hex(code)) > 0;
}

}  // namespace

bool SecondFactor::is_on(store::UserId user) const {
  const auto row = system_.get(factors, user);
  return row && row->value.is_confirmed;
}

std::size_t SecondFactor::recovery_codes_left(store::UserId user) const {
  const auto row = system_.get(factors, user);
  return row ? row->value.recovery_codes.size() : 0;
}

web::Task<web::Result<std::string>> SecondFactor::begin(store::UserId user) {
  const Factor factor{.user_id = user,
                      .secret = store::Sealed{crypto::random_bytes(secret_bytes)},
                      .recovery_codes = {},
                      .created_at = store::now()};
  for (;;) {
    auto change = system_.change();
    if (auto row = system_.get(factors, user)) {
      if (row->value.is_confirmed) co_return web::conflict("A second factor is in use: remove it first");
      row->value = factor;
      change.update(factors, *row);
    } else {
      change.insert(factors, factor);
    }
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return crypto::to_base32(factor.secret.clear);
  }
}

web::Task<web::Result<std::vector<std::string>>> SecondFactor::confirm(store::UserId user, std::string code) {
  std::vector<std::string> codes;
  for (std::size_t i = 0; i < recovery_code_count; ++i) codes.push_back(crypto::random_id(recovery_code_characters));
  for (;;) {
    auto row = system_.get(factors, user);
    if (!row || row->value.is_confirmed || !spend(row->value, code)) co_return wrong_code();
    row->value.is_confirmed = true;
    row->value.recovery_codes.clear();
    for (const auto& fresh : codes) row->value.recovery_codes.push_back(crypto::sha256_hex(fresh));
    auto change = system_.change();
    change.update(factors, *row);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return codes;
  }
}

web::Task<web::Result<void>> SecondFactor::check(store::UserId user, std::string code) {
  const std::string name = std::to_string(user);
  bool is_right = false;
  if (!limit_.blocked(name)) is_right = co_await spend_stored(user, std::move(code));
  if (limit_.blocked(name))
    co_return web::Error{.kind = web::Kind::too_many, .message = "Too many wrong codes, please try again later."};
  if (is_right) {
    limit_.succeeded(name);
    co_return web::Result<void>();
  }
  limit_.failed(name);
  co_return web::unauthenticated("Invalid credentials");
}

web::Task<bool> SecondFactor::spend_stored(store::UserId user, std::string code) {
  for (;;) {
    auto row = system_.get(factors, user);
    if (!row || !row->value.is_confirmed || !spend(row->value, code)) co_return false;
    auto change = system_.change();
    change.update(factors, *row);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return true;
  }
}

web::Task<> SecondFactor::remove(store::UserId user) {
  while (const auto row = system_.get(factors, user)) {
    auto change = system_.change();
    change.erase(factors, *row);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) break;
  }
}

}  // namespace second_factor
