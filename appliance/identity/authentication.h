// Every sign-in method besides the password, and what belongs to it: second factor, recovery, security events, audit.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "appliance/foundation/chain/rpc.h"
#include "appliance/foundation/periodic.h"
#include "appliance/foundation/settings/settings.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/accounts/guess_alarm.h"
#include "appliance/identity/accounts/known_devices.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/audit/failure_counter.h"
#include "appliance/identity/code_host/code_host.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/identities/identities.h"
#include "appliance/identity/identity_provider/identity_provider.h"
#include "appliance/identity/mail/outbox.h"
#include "appliance/identity/recovery/recovery.h"
#include "appliance/identity/second_factor/factor_settings.h"
#include "appliance/identity/security/replay_guard.h"
#include "appliance/identity/security_events/security_events.h"
#include "appliance/identity/sign_in/sign_in.h"
#include "appliance/identity/site.h"
#include "appliance/identity/social_identity/social_identity.h"
#include "appliance/identity/token_gating/token_gating.h"
#include "appliance/identity/verification/verification.h"
#include "appliance/identity/wallet_sign_in/wallet_sign_in.h"
#include "web/route.h"

namespace agentbox {

class Authentication {
 public:
  struct Parts {
    const Settings& settings;
    store::System system;
    accounts::Accounts& accounts;
    accounts::Sessions& sessions;
    keys::Keys& keys;
    const Guards& guards;
    boost::asio::io_context& home;       // of background work
    boost::asio::thread_pool& blocking;  // for reads of whole tables
    std::string master_key;
    std::function<bool(const accounts::User&)> must_enrol;  // whether the user must set up a second factor first
  };
  // Whatever the parts refer to must outlive this object.
  explicit Authentication(Parts);

  std::vector<web::Route> web_routes();
  std::vector<web::Route> backend_routes();

  // The address of the web listener; before anything is served.
  void set_listener(std::string url) { site_.set_listener(std::move(url)); }
  audit::Audit& audit() { return audit_; }
  audit::FailureCounter& failures() { return failures_; }
  sign_in::SignIn& sign_in() { return sign_in_; }
  identities::Identities& identities() { return identities_; }
  second_factor::SecondFactor& second_factor() { return second_factor_; }
  const accounts::KnownDevices& devices() const { return devices_; }
  verification::Verification& verification() { return verification_; }
  void start();
  web::Task<> stop();

 private:
  web::Task<> sweep();

  Parts parts_;
  Site site_;
  security::ReplayGuard replay_guard_;
  audit::Audit audit_;
  audit::FailureCounter failures_;
  identities::Identities identities_;
  chain::Rpc rpc_;
  wallet_sign_in::Nonces nonces_;
  wallet_sign_in::WalletSignIn wallets_;
  oidc::Provider provider_;
  identity_provider::IdentityProvider identity_provider_;
  code_host::CodeHost code_host_;
  security_events::SecurityEvents security_events_;
  mail::Outbox outbox_;
  verification::Verification verification_;
  second_factor::SecondFactor second_factor_;
  recovery::Recovery recovery_;
  accounts::GuessAlarm guess_alarm_;
  const accounts::KnownDevices devices_;
  second_factor::FactorSettings factor_settings_;
  sign_in::SignIn sign_in_;
  token_gating::TokenGating gating_;
  social_identity::SocialIdentity social_identity_;
  Periodic sweeps_, failure_writer_;
};

}  // namespace agentbox
