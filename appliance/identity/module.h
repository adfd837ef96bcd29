// Accounts, sessions, API keys and every sign-in method: the services that its capabilities and other modules share,
// built in order, and the capabilities themselves.
#pragma once

#include <optional>
#include <string_view>

#include "appliance/access/agent_directory.h"
#include "appliance/access/events.h"
#include "appliance/access/guards.h"
#include "appliance/access/keys.h"
#include "appliance/access/operator_keys.h"
#include "appliance/foundation/chain/rpc.h"
#include "appliance/foundation/platform.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/accounts/breached_passwords.h"
#include "appliance/identity/accounts/brute_force_alert.h"
#include "appliance/identity/accounts/known_devices.h"
#include "appliance/identity/accounts/plan_directory.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/audit/failure_counter.h"
#include "appliance/identity/audit/signed_heads.h"
#include "appliance/identity/audit/stream.h"
#include "appliance/identity/capabilities.h"
#include "appliance/identity/groups/groups.h"
#include "appliance/identity/identities/identities.h"
#include "appliance/identity/invites/invites.h"
#include "appliance/identity/mail/outbox.h"
#include "appliance/identity/personal_data/account_deletions.h"
#include "appliance/identity/second_factor/requirement.h"
#include "appliance/identity/second_factor/second_factor.h"
#include "appliance/identity/security/replay_guard.h"
#include "appliance/identity/sign_in/sign_in.h"
#include "appliance/identity/site.h"
#include "appliance/identity/token_gating/token_gating.h"
#include "appliance/identity/verification/verification.h"

namespace identity {

class Module {
 public:
  // All of them must outlive this.
  Module(const agentbox::Platform&, agentbox::Events&, const agentbox::AgentDirectory&, accounts::PlanDirectory&);

  agentbox::Rows rows() { return capabilities_.rows(guards); }
  web::Task<> start() { return capabilities_.start(); }
  web::Task<> stop() { return capabilities_.stop(); }

  // When this user, who has no second factor, needs one; nothing if they have one, or need none. The epoch: at once.
  std::optional<store::Time> second_factor_due(const accounts::User&) const;
  // Whether this user must set up a second factor before anything else.
  bool must_enrol(const accounts::User&) const;
  bool is_admin(store::UserId) const;
  // Whether this address, in normal form, is an administrator's.
  bool is_admin_address(std::string_view email) const;

  const agentbox::Platform& platform;
  agentbox::Events& events;
  const agentbox::AgentDirectory& agents;
  accounts::PlanDirectory& plans;

 private:
  std::optional<accounts::BreachedPasswords> breached_passwords_;
  accounts::PasswordHasher hasher_;

 public:
  agentbox::Site site;
  accounts::Sessions sessions;
  accounts::LoginLimit login_limit;
  groups::Groups groups;
  invites::Invites invites;
  accounts::Accounts accounts;
  keys::Keys keys;
  operator_keys::OperatorKeys operator_keys;
  security::ReplayGuard replay_guard;
  audit::Audit audit;
  audit::SignedHeads audit_heads;
  audit::Stream audit_stream;
  personal_data::PersonalData personal_data;
  personal_data::AccountDeletions account_deletions;
  audit::FailureCounter failures;
  identities::Identities identities;
  chain::Rpc rpc;
  token_gating::TokenGating gating;
  mail::Outbox outbox;
  verification::Verification verification;
  second_factor::SecondFactor second_factor;
  const second_factor::Requirement factor_requirement;
  accounts::BruteForceAlert brute_force_alert;
  const accounts::KnownDevices devices;
  sign_in::SignIn sign_in;
  const agentbox::Guards guards;

 private:
  std::shared_ptr<const agentbox::BackendSources> backend_sources();

  agentbox::RunningCapabilities capabilities_;
};

}  // namespace identity
