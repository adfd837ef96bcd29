// Maps an identity that an external provider has verified to its user.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/access/keys.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/identities/records.h"
#include "web/result.h"
#include "web/task.h"

namespace identities {

struct VerifiedIdentity {
  std::string id;                  // see Identity::id; at most 600 bytes
  std::string email;               // as the provider writes it
  bool is_email_verified = false;  // by the provider
  std::string name;
  std::string refresh_token;                    // replaces the stored one; empty: keeps it
  std::optional<std::string> invite_code = {};  // for a new user, where registration is by invitation
};

// Callable from every thread; the arguments must outlive it.
class Identities {
 public:
  Identities(store::System system, accounts::Accounts& accounts, keys::Keys& keys, const agentbox::Events& events)
      : system_(std::move(system)), accounts_(accounts), keys_(keys), events_(events) {}

  // Sign-ins by identities of other kinds than this ("idp:") are refused. Before anything is served.
  void accept_only(std::string kind) { only_kind_ = std::move(kind); }

  // Called for new users whose address the provider has not verified. Before anything is served.
  using OnUnverified = std::function<web::Task<>(store::UserId)>;
  void verify_addresses_by(OnUnverified on_unverified) { on_unverified_ = std::move(on_unverified); }

  // The identity's user. A new identity is linked to the user of its address if the provider has verified the address;
  // if there is no such user, one is created. Linking to a user whose address was never verified claims the account:
  // earlier passwords, sessions, keys and other identities end. A second factor stays, and is asked for.
  // `since`: session_epoch() before the identity was verified. unauthenticated: all sessions of the user were ended
  // since. forbidden: the identity or its user is disabled, the address is reserved, or identities of this kind are not
  // accepted (SIGN_IN_METHOD_OFF). conflict: the address is taken
  // and not verified, or the account was changed meanwhile. invalid: no address.
  web::Task<web::Result<accounts::User>> sign_in(VerifiedIdentity, accounts::SessionEpoch since);
  // The same for a wallet, whose e-mail is <address>@wallet.app. `address` in lower case.
  web::Task<web::Result<accounts::User>> sign_in_wallet(std::string address, accounts::SessionEpoch since,
                                                        std::optional<std::string> invite_code = {});
  accounts::SessionEpoch session_epoch() const { return accounts_.session_epoch(); }

  std::optional<Identity> find(std::string_view id) const;
  std::vector<Identity> of_user(store::UserId) const;
  // For every identity of the user whose id begins with `kind` ("idp:"), and for future ones.
  web::Task<> set_disabled(store::UserId, std::string kind, bool is_disabled);
  web::Task<> forget_refresh_tokens(store::UserId);
  // Account claim: the verified owner of the address takes over an account whose address was unverified. The change
  // removes every credential that its previous user may have left: API keys, other identities, and what subscribers of
  // Events::account_claim keep. A second factor stays, since access to a mailbox or to an account elsewhere must not
  // remove it. Administrators lose only their API keys. A credential that is added meanwhile makes the commit fail, to
  // be retried. Call claimed() after the commit.
  void claim(const accounts::User&, store::Change&) const;
  void claimed(store::UserId) const;

 private:
  web::Task<web::Result<accounts::User>> sign_in_known(VerifiedIdentity, accounts::SessionEpoch since);
  web::Task<web::Result<accounts::User>> user_for(const VerifiedIdentity&, std::string email,
                                                  accounts::SessionEpoch since);
  web::Task<web::Result<accounts::User>> link(VerifiedIdentity, accounts::User, accounts::SessionEpoch since);
  bool is_blocked(store::UserId, std::string_view id) const;

  store::System system_;
  accounts::Accounts& accounts_;
  keys::Keys& keys_;
  const agentbox::Events& events_;
  OnUnverified on_unverified_;
  std::string only_kind_;  // empty: every kind
};

}  // namespace identities
