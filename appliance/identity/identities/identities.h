// From an identity proved elsewhere to the user it belongs to.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/identities/records.h"
#include "appliance/identity/keys/keys.h"
#include "web/result.h"
#include "web/task.h"

namespace identities {

struct Proved {
  std::string id;                // as Identity::id; at most 600 bytes
  std::string email;             // as the identity has it, in any spelling
  bool email_is_proved = false;  // somebody trusted says that the address is the identity's
  std::string name;
  std::string refresh_token;  // replaces the one that is kept; empty: keeps it
};

// What another part of the box keeps for a user and a hand-over ends.
struct ClaimObserver {
  std::function<void(store::UserId, store::Change&)> claim;  // adds to the change; may run several times
  std::function<void(store::UserId)> claimed;                // once it is committed
};

// Callable from every thread; the arguments must outlive it.
class Identities {
 public:
  Identities(store::System system, accounts::Accounts& accounts, keys::Keys& keys)
      : system_(std::move(system)), accounts_(accounts), keys_(keys) {}

  // Before anything is served.
  void when_claimed(ClaimObserver observer) { claim_observers_.push_back(std::move(observer)); }

  // The identity's user. One seen for the first time is linked to the user of its address when the address is proved,
  // and becomes a new user when nobody has the address. Linking to a user whose address nobody ever vouched for hands
  // that account to its owner: password, second factor, sessions, keys and other identities made before end.
  // `since`: session_epoch() before the identity was proved. unauthenticated: the user's sessions were all ended since;
  // forbidden: the identity or its user is disabled, or the address is reserved; conflict: somebody has the address,
  // and it is not proved, or the account was changed meanwhile; invalid: no address.
  web::Task<web::Result<accounts::User>> sign_in(Proved, accounts::SessionEpoch since);
  // The same for a wallet, whose address stands for it: <address>@wallet.app. `address` in lower case.
  web::Task<web::Result<accounts::User>> sign_in_wallet(std::string address, accounts::SessionEpoch since);
  accounts::SessionEpoch session_epoch() const { return accounts_.session_epoch(); }

  std::optional<Identity> find(std::string_view id) const;
  std::vector<Identity> of_user(store::UserId) const;
  // Of every identity of the user whose id begins with `kind` ("idp:"), and of those that come yet.
  web::Task<> set_disabled(store::UserId, std::string kind, bool is_disabled);
  web::Task<> forget_refresh_tokens(store::UserId);
  // The owner of the address has come to an account that nobody had vouched for: what whoever registered it left there
  // to come back or to read along by ends with the change: API keys, other identities, second factor, keys at model
  // providers, and the estates of other parts. Administrators were made by hand and lose their API keys alone. One that
  // is made meanwhile makes the change fail, to be made anew. Once it is committed: claimed.
  void claim(const accounts::User&, store::Change&) const;
  void claimed(store::UserId) const;

 private:
  web::Task<web::Result<accounts::User>> enter(Proved, accounts::SessionEpoch since);
  web::Task<web::Result<accounts::User>> user_for(const Proved&, std::string email, accounts::SessionEpoch since);
  web::Task<web::Result<accounts::User>> link(Proved, accounts::User, accounts::SessionEpoch since);
  bool is_closed(store::UserId, std::string_view id) const;

  store::System system_;
  accounts::Accounts& accounts_;
  keys::Keys& keys_;
  std::vector<ClaimObserver> claim_observers_;
};

}  // namespace identities
