// A second factor for sign-in by password: one-time passwords of an authenticator app, and recovery codes for when the
// phone is gone.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/accounts/login_limit.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace second_factor {

struct Factor {
  std::int64_t user_id = 0;
  store::Sealed secret;                     // 20 random bytes in base32's raw form
  bool is_confirmed = false;                // a first password of the app was right: from then on it is asked for
  std::int64_t last_step = 0;               // each password counts once
  std::vector<std::string> recovery_codes;  // SHA-256 in hex of those not used yet
  store::Time created_at{};
};
BOOST_DESCRIBE_STRUCT(Factor, (), (user_id, secret, is_confirmed, last_step, recovery_codes, created_at))

inline const store::Global<Factor, std::int64_t> factors{
    {.family = "second_factors", .number = 12}, &Factor::user_id, {}};

inline constexpr std::size_t recovery_code_count = 10;

// Callable from every thread; must not outlive the store.
class SecondFactor {
 public:
  // `limited` off: codes may be guessed at for ever, for benchmarks and trusted networks.
  SecondFactor(store::System system, bool limited) : system_(std::move(system)), limit_({}, limited) {}

  bool is_on(store::UserId) const;
  std::size_t recovery_codes_left(store::UserId) const;

  // The secret, in base32, of a factor that is not asked for until it is confirmed. conflict: there is one in use.
  web::Task<web::Result<std::string>> begin(store::UserId);
  // The recovery codes, shown this once. invalid: the code is wrong, or nothing was begun.
  web::Task<web::Result<std::vector<std::string>>> confirm(store::UserId, std::string code);
  // Success once for each of the app's passwords and each recovery code; of several callers at once, for one.
  // unauthenticated: a wrong code, or one that was used; too_many: after ten of those within 15 minutes.
  web::Task<web::Result<void>> check(store::UserId, std::string code);
  web::Task<> remove(store::UserId);

 private:
  web::Task<bool> spend_stored(store::UserId, std::string code);

  store::System system_;
  accounts::LoginLimit limit_;  // by user id
};

}  // namespace second_factor
