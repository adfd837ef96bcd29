#include "appliance/identity/module.h"

#include "appliance/access/key_guards.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/identity/accounts/admin_address.h"
#include "appliance/identity/kept_keys.h"

namespace identity {

namespace {

std::optional<accounts::BreachedPasswords> list_of(const std::string& file) {
  if (file.empty()) return std::nullopt;
  return std::optional<accounts::BreachedPasswords>(std::in_place, file);
}

}  // namespace

Module::Module(const agentbox::Platform& given_platform, agentbox::Events& given_events,
               const agentbox::AgentDirectory& given_agents, accounts::PlanDirectory& given_plans)
    : platform(given_platform),
      events(given_events),
      agents(given_agents),
      plans(given_plans),
      breached_passwords_(list_of(platform.settings.breached_passwords)),
      site(platform.settings.base_url),
      sessions(platform.system, events, platform.settings.session_idle),
      login_limit({}, platform.settings.login_limits),
      groups(platform.system, plans, events),
      invites(platform.system, plans, groups),
      accounts(platform.system, hasher_, sessions, login_limit, events, platform.settings.admin_emails),
      keys(platform.system),
      operator_keys(platform.system),
      replay_guard(platform.system),
      audit(platform.system),
      audit_heads(platform.system, lasting_key(platform.system, platform.master_key, audit_heads_purpose),
                  std::chrono::days(platform.settings.audit_keep)),
      audit_stream(platform.system, audit,
                   {.url = platform.settings.audit_stream,
                    .token = platform.settings.audit_stream_token,
                    .authority = platform.settings.audit_stream_ca},
                   platform.home),
      account_deletions(platform.system, personal_data, accounts, audit, platform.blocking),
      failures(audit),
      identities(platform.system, accounts, keys, events),
      rpc(platform.settings.l2_rpc_url, platform.settings.l2_chain_id, "L2_RPC_URL"),
      gating(rpc, platform.settings.gating_token_address, platform.settings.gating_token_minimum),
      outbox(platform.system, {platform.settings.smtp_url, platform.settings.smtp_from}, platform.home,
             platform.blocking),
      verification(platform.system, accounts, outbox, site),
      second_factor(platform.system, site, replay_guard,
                    lasting_key(platform.system, platform.master_key, passkeys_purpose),
                    platform.settings.login_limits),
      factor_requirement(platform.system, platform.settings.second_factor_required,
                         platform.settings.second_factor_grace),
      brute_force_alert(accounts, audit),
      devices(crypto::derived_key(platform.master_key, "known devices")),
      sign_in(accounts, sessions, second_factor, audit, replay_guard, devices,
              crypto::derived_key(platform.master_key, "sign-in tickets")),
      guards(agentbox::with_key_guards(
          agentbox::make_guards(
              {.system = platform.system,
               .sessions = sessions,
               .keys = keys,
               .backend = backend_sources(),
               .agent_of = [this](std::string_view token) { return agents.caller_of_box_token(token); },
               .is_admin = [this](const accounts::User& user) { return accounts.is_admin(user); },
               .must_enrol = [this](const accounts::User& user) { return must_enrol(user); }}),
          {.system = platform.system,
           .keys = keys,
           .is_admin = [this](const accounts::User& user) { return accounts.is_admin(user); },
           .must_enrol = [this](const accounts::User& user) { return must_enrol(user); }})),
      capabilities_(identity::capabilities(), *this) {
  if (breached_passwords_) hasher_.refuse(*breached_passwords_);
  const bool is_provider_only = platform.settings.sign_in == "provider";
  accounts.set_password_policy({.is_off = is_provider_only, .break_glass = platform.settings.break_glass_admin});
  if (is_provider_only) identities.accept_only("idp:");
  accounts.set_registration({platform.settings.registration, &invites});
  accounts.report_guesses_to([this](store::UserId user, unsigned count) {
    return brute_force_alert.raise(accounts::Guessed::password, user, count);
  });
  second_factor.report_guesses_to([this](store::UserId user, unsigned count) {
    return brute_force_alert.raise(accounts::Guessed::code, user, count);
  });
  identities.verify_addresses_by(
      [this](store::UserId user) -> web::Task<> { static_cast<void>(co_await verification.send(user)); });
}

std::shared_ptr<const agentbox::BackendSources> Module::backend_sources() {
  const auto& settings = platform.settings;
  return std::make_shared<const agentbox::BackendSources>(agentbox::BackendSources{
      .internal_api_key = settings.internal_api_key,
      .internal_api_key_next = settings.internal_api_key_next,
      .operator_keys = operator_keys,
      .is_admin = [this](std::string_view email) { return is_admin_address(email); },
      .is_admin_required = settings.admin_required,
      .on_wrong_key =
          [this](const web::Request& request) {
            failures.count(audit::failure_of(request, "internal key refused", "Forbidden"));
          },
      .on_refused =
          [this](const web::Request& request, const std::string& caller, const std::string& reason) {
            auto failure = audit::failure_of(request, "operator request refused", reason);
            failure.by = caller;
            failures.count(std::move(failure));
          }});
}

bool Module::is_admin_address(std::string_view email) const {
  return accounts::is_admin_address(accounts, platform.settings.admin_emails, email);
}

std::optional<store::Time> Module::second_factor_due(const accounts::User& user) const {
  const bool is_due_at_once =
      (platform.settings.admin_second_factor && accounts.is_admin(user)) || accounts.is_break_glass(user);
  const auto due = is_due_at_once ? std::optional(store::Time{}) : factor_requirement.deadline(user);
  return due && !second_factor.is_on(user.id) ? due : std::nullopt;
}

bool Module::must_enrol(const accounts::User& user) const {
  const auto due = second_factor_due(user);
  return due && *due <= store::now();
}

bool Module::is_admin(store::UserId user) const {
  const auto found = accounts.find(user);
  return found && accounts.is_admin(*found);
}

}  // namespace identity
