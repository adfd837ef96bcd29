// Accounts, sessions, API keys and every sign-in method: the parts of the module, built in order.
#pragma once

#include "appliance/foundation/periodic.h"
#include "appliance/foundation/platform.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/accounts/administration.h"
#include "appliance/identity/accounts/plan_directory.h"
#include "appliance/identity/accounts/self_service.h"
#include "appliance/identity/authentication.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/keys/keys.h"

namespace identity {

class Module {
 public:
  explicit Module(const agentbox::Platform&);

  // `plans` must outlive the rows.
  agentbox::Rows rows(accounts::PlanDirectory& plans);
  void start();
  web::Task<> stop();

  // The agent that a token belongs to; set once, before anything is served.
  using AgentOf = std::function<std::optional<web::Caller>(std::string_view token)>;
  void resolve_agent_tokens_with(AgentOf agent_of) { agent_of_ = std::move(agent_of); }
  // The invitations of REGISTRATION=invite; none are valid until it is called. Before anything is served.
  void set_invitations(accounts::Invitations*);
  // Whether this user must set up a second factor before anything else.
  bool must_enrol(const accounts::User&);
  bool is_admin(store::UserId) const;

 private:
  const agentbox::Settings& settings_;
  boost::asio::thread_pool& blocking_;
  AgentOf agent_of_;
  accounts::PasswordHasher hasher_;

 public:
  accounts::Sessions sessions;
  accounts::LoginLimit login_limit;
  accounts::Accounts accounts;
  keys::Keys keys;
  agentbox::Authentication authentication;
  const agentbox::Guards guards;

 private:
  web::Task<> flush_uses();

  accounts::SelfService self_service_;
  accounts::Administration administration_;
  agentbox::Periodic session_sweep_, uses_;
};

}  // namespace identity
