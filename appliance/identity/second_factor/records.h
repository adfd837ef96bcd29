// What is stored about second factors.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace second_factor {

// Exists while a user has a second factor of any kind, or has begun to set up an app. Every change to the user's
// passkeys updates it, too: it contains their number.
struct Factor {
  std::int64_t user_id = 0;
  store::Sealed secret;                     // of the app: 20 random bytes; empty without an app
  bool is_confirmed = false;                // the first code of the app was right: the app is in effect
  std::int64_t last_step = 0;               // each code is accepted once
  std::vector<std::string> recovery_codes;  // SHA-256 in hex of the unused ones
  store::Time created_at{};
  std::int64_t passkeys = 0;

  bool is_on() const { return is_confirmed || passkeys > 0; }
};
BOOST_DESCRIBE_STRUCT(Factor, (), (user_id, secret, is_confirmed, last_step, recovery_codes, created_at, passkeys))

inline const store::Global<Factor, std::int64_t> factors{
    {.family = "second_factors", .number = 12}, &Factor::user_id, {}};

struct Passkey {
  std::int64_t user_id = 0;
  std::string id;             // ours: "pk_" and 20 random characters
  std::string name;           // chosen by the user
  std::string credential_id;  // of the authenticator, in base64url; unique
  std::string public_key;     // COSE_Key in base64url
  std::int64_t sign_count = 0;
  std::vector<std::string> transports;  // how browsers reach the authenticator: a hint for them
  store::Time created_at{};
  std::optional<store::Time> last_used_at;
};
BOOST_DESCRIBE_STRUCT(Passkey, (),
                      (user_id, id, name, credential_id, public_key, sign_count, transports, created_at, last_used_at))

inline const store::Owned<Passkey> passkeys{{.family = "passkeys", .number = 13},
                                            &Passkey::user_id,
                                            &Passkey::id,
                                            {store::unique<Passkey>(1, "credential", &Passkey::credential_id)}};

}  // namespace second_factor
