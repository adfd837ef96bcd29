// Wallets at Coinbase's developer platform (CDP): accounts whose keys are there, made over its REST API (v2).
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>

#include "appliance/foundation/crypto/jwt_signer.h"
#include "appliance/foundation/settings/settings.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace cdp {

inline constexpr auto setup_text = "Set CDP_PROJECT_ID, CDP_API_KEY_ID and CDP_API_KEY_SECRET, and restart the box";

// The account of a user at the platform.
struct Account {
  std::int64_t owner = 0;
  std::string id;       // its name at the platform
  std::string address;  // with its checksum
  std::string email;
  store::Time created_at;
};
BOOST_DESCRIBE_STRUCT(Account, (), (owner, id, address, email, created_at))

inline const store::Owned<Account> accounts{
    {.family = "cdp_accounts", .number = 104}, &Account::owner, &Account::id, {}};

// Callable from every thread; must not outlive the store.
class Cdp {
 public:
  Cdp(store::System, const agentbox::Settings&);

  bool is_configured() const { return api_key_.has_value() && !project_.empty() && !key_id_.empty(); }
  // Some of the settings are there, but not all that are needed, or a key that cannot be read.
  bool is_incomplete() const { return !is_configured() && is_begun_; }
  const std::string& project() const { return project_; }

  // The user's account, made at the platform unless the box knows it; one, however many ask at once. bad_gateway, with
  // the platform's words, or why it cannot be reached.
  web::Task<web::Result<Account>> obtain(store::UserId, std::string email);

 private:
  web::Task<web::Result<std::string>> create_at_platform(std::string name);  // its address

  store::System system_;
  const std::string url_, project_, key_id_;
  const std::optional<crypto::JwtSigner> api_key_, wallet_key_;
  const bool is_begun_;
};

}  // namespace cdp
