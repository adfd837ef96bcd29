// Every way in besides the password, and what goes with it: built once in box.cpp, as one part.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "appliance/accounts/routes.h"
#include "appliance/audit/audit.h"
#include "appliance/audit/refusals.h"
#include "appliance/chain/rpc.h"
#include "appliance/code_host/code_host.h"
#include "appliance/config.h"
#include "appliance/entrance/entrance.h"
#include "appliance/identities/identities.h"
#include "appliance/identity_provider/identity_provider.h"
#include "appliance/mail/outbox.h"
#include "appliance/periodic.h"
#include "appliance/recovery/recovery.h"
#include "appliance/second_factor/second_factor.h"
#include "appliance/security/once.h"
#include "appliance/security_events/security_events.h"
#include "appliance/site.h"
#include "appliance/token_gating/token_gating.h"
#include "appliance/wallet_sign_in/wallet_sign_in.h"
#include "web/route.h"

namespace agentbox {

class WaysIn {
 public:
  struct Parts {
    const Settings& settings;
    store::System system;
    accounts::Accounts& accounts;
    accounts::Sessions& sessions;
    keys::Keys& keys;
    const Guards& guards;
    boost::asio::io_context& home;       // where background work lives
    boost::asio::thread_pool& blocking;  // for reads of whole tables
    std::string master_key;
    std::function<bool(const accounts::User&)> must_enrol;  // who may do nothing before having a second factor
  };
  // What the parts refer to must outlive this.
  explicit WaysIn(Parts);

  std::vector<web::Route> web_routes();
  std::vector<web::Route> backend_routes();

  // Where the web listener listens; before anything is served.
  void set_listener(std::string url) { site_.set_listener(std::move(url)); }
  audit::Audit& audit() { return audit_; }
  audit::Refusals& refusals() { return refusals_; }
  entrance::Entrance& entrance() { return entrance_; }
  identities::Identities& identities() { return identities_; }
  second_factor::SecondFactor& second_factor() { return second_factor_; }
  void start();
  web::Task<> stop();

 private:
  web::Task<> sweep();

  Parts parts_;
  Site site_;
  security::Once once_;
  audit::Audit audit_;
  audit::Refusals refusals_;
  identities::Identities identities_;
  chain::Rpc rpc_;
  wallet_sign_in::Nonces nonces_;
  wallet_sign_in::WalletSignIn wallets_;
  oidc::Provider provider_;
  identity_provider::IdentityProvider identity_provider_;
  code_host::CodeHost code_host_;
  security_events::SecurityEvents security_events_;
  mail::Outbox outbox_;
  recovery::Recovery recovery_;
  second_factor::SecondFactor second_factor_;
  entrance::Entrance entrance_;
  token_gating::TokenGating gating_;
  oidc::Provider social_provider_;
  Periodic sweeps_, refusals_writer_;
};

}  // namespace agentbox
