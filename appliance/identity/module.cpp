#include "appliance/identity/module.h"

#include "appliance/identity/accounts/routes.h"
#include "web/log.h"

namespace identity {

using namespace std::chrono_literals;

Module::Module(const agentbox::Platform& platform)
    : settings_(platform.settings),
      blocking_(platform.blocking),
      sessions(platform.system, platform.settings.session_idle),
      login_limit({}, platform.settings.rate_limits),
      accounts(platform.system, hasher_, sessions, login_limit, platform.settings.admin_emails),
      keys(platform.system),
      authentication({platform.settings, platform.system, accounts, sessions, keys, guards, platform.home,
                      platform.blocking, platform.master_key,
                      [this](const accounts::User& user) { return must_enrol(user); }}),
      guards(agentbox::make_guards({.sessions = sessions,
                                    .accounts = accounts,
                                    .keys = keys,
                                    .internal_api_key = platform.settings.internal_api_key,
                                    .agent_of = [this](std::string_view token) { return agent_of_(token); },
                                    .on_wrong_key =
                                        [this](const web::Request& request) {
                                          authentication.failures().count(
                                              audit::failure_of(request, "internal key refused", "Forbidden"));
                                        },
                                    .must_enrol = [this](const accounts::User& user) { return must_enrol(user); }})),
      self_service_(accounts, sessions, authentication.second_factor(), authentication.sign_in(),
                    authentication.audit()),
      administration_(accounts, sessions, authentication.second_factor(), authentication.audit()),
      session_sweep_(platform.home, "sessions", 10min,
                     [this]() -> web::Task<> { co_await sessions.sweep(store::now()); }),
      uses_(platform.home, "uses of keys and sessions", 30s, [this] { return flush_uses(); }) {
  set_invitations(nullptr);
}

void Module::set_invitations(accounts::Invitations* invitations) {
  accounts.set_registration({settings_.registration, invitations});
}

web::Task<> Module::flush_uses() {
  co_await keys.flush_uses();
  co_await sessions.flush_uses();
}

bool Module::must_enrol(const accounts::User& user) {
  return settings_.admin_second_factor && accounts.is_admin(user) && !authentication.second_factor().is_on(user.id);
}

bool Module::is_admin(store::UserId user) const {
  const auto found = accounts.find(user);
  return found && accounts.is_admin(*found);
}

agentbox::Rows Module::rows(accounts::PlanDirectory& plans) {
  const accounts::Services services{accounts, sessions, self_service_, administration_, plans, blocking_, guards};
  agentbox::Rows rows;
  web::append(rows.web, accounts::web_routes(services));
  web::append(rows.web, authentication.web_routes());
  web::append(rows.backend, accounts::backend_routes(services));
  web::append(rows.backend, authentication.backend_routes());
  return rows;
}

void Module::start() {
  session_sweep_.start();
  authentication.start();
  uses_.start();
}

web::Task<> Module::stop() {
  co_await session_sweep_.stop();
  co_await authentication.stop();
  co_await uses_.stop();
  try {
    co_await flush_uses();
  } catch (const std::exception& error) {  // a read-only store must not prevent an orderly stop
    web::log::warning("uses_not_written", {{"reason", std::string(error.what())}});
  }
}

}  // namespace identity
