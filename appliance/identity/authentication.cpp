#include "appliance/identity/authentication.h"

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/identity/audit/routes.h"
#include "appliance/identity/mail/routes.h"
#include "appliance/identity/oauth/routes.h"
#include "appliance/identity/recovery/routes.h"
#include "appliance/identity/second_factor/routes.h"
#include "appliance/identity/security_events/routes.h"
#include "appliance/identity/sign_in/routes.h"
#include "appliance/identity/social_identity/routes.h"
#include "appliance/identity/token_gating/routes.h"
#include "appliance/identity/verification/routes.h"
#include "appliance/identity/wallet_sign_in/routes.h"

namespace agentbox {

using namespace std::chrono_literals;

namespace {

oauth::Client identity_client(const Settings& settings) {
  return {.id = settings.idp_client_id.empty() ? "" : settings.idp_client_id.front(),
          .secret = settings.idp_client_secret};
}

oauth::Client code_host_client(const Settings& settings) {
  return {.id = settings.codehost_client_id, .secret = settings.codehost_client_secret, .sends_basic = false};
}

oauth::Client social_client(const Settings& settings) {
  return {.id = settings.social_id_client_id, .secret = settings.social_id_client_secret};
}

}  // namespace

Authentication::Authentication(Parts given)
    : parts_(std::move(given)),
      site_(parts_.settings.base_url),
      replay_guard_(parts_.system),
      audit_(parts_.system),
      failures_(audit_),
      identities_(parts_.system, parts_.accounts, parts_.keys),
      rpc_(parts_.settings.l2_rpc_url, parts_.settings.l2_chain_id, "L2_RPC_URL"),
      nonces_(crypto::derived_key(parts_.master_key, "wallet nonces"), replay_guard_),
      wallets_(nonces_, rpc_, identities_, site_),
      provider_(parts_.settings.idp_issuer),
      identity_provider_(
          provider_, identity_client(parts_.settings),
          {crypto::derived_key(parts_.master_key, "identity provider visits"), "agentbox-idp", replay_guard_},
          identities_, site_),
      code_host_({parts_.settings.codehost_base_url, parts_.settings.codehost_api_url},
                 code_host_client(parts_.settings),
                 {crypto::derived_key(parts_.master_key, "code host visits"), "agentbox-codehost", replay_guard_},
                 identities_, site_),
      security_events_(parts_.system, {parts_.settings.idp_issuer, parts_.settings.idp_client_id}, identities_,
                       parts_.accounts, parts_.sessions, audit_, parts_.home),
      outbox_(parts_.system, {parts_.settings.smtp_url, parts_.settings.smtp_from}, parts_.home, parts_.blocking),
      verification_(parts_.system, parts_.accounts, outbox_, site_),
      second_factor_(parts_.system, site_, replay_guard_, crypto::derived_key(parts_.master_key, "passkeys"),
                     parts_.settings.login_limits),
      recovery_(parts_.system, parts_.accounts, identities_, second_factor_, outbox_, site_, parts_.home),
      guess_alarm_(parts_.accounts, audit_),
      devices_(crypto::derived_key(parts_.master_key, "known devices")),
      factor_settings_(second_factor_, parts_.accounts, parts_.sessions, audit_, parts_.must_enrol),
      sign_in_(parts_.accounts, parts_.sessions, second_factor_, audit_, replay_guard_, devices_,
               crypto::derived_key(parts_.master_key, "sign-in tickets")),
      gating_(rpc_, parts_.settings.gating_token_address, parts_.settings.gating_token_minimum),
      social_identity_(parts_.settings.social_id_issuer, social_client(parts_.settings), identities_, replay_guard_),
      sweeps_(parts_.home, "authentication", 10min, [this] { return sweep(); }),
      failure_writer_(parts_.home, "failed attempts", audit::failure_write_interval,
                      [this] { return failures_.write(); }) {
  parts_.accounts.report_guesses_to([this](store::UserId user, unsigned failures) {
    return guess_alarm_.raise(accounts::Guessed::password, user, failures);
  });
  second_factor_.report_guesses_to([this](store::UserId user, unsigned failures) {
    return guess_alarm_.raise(accounts::Guessed::code, user, failures);
  });
  identities_.verify_addresses_by(
      [this](store::UserId user) -> web::Task<> { static_cast<void>(co_await verification_.send(user)); });
}

std::vector<web::Route> Authentication::web_routes() {
  const Guards& guards = parts_.guards;
  const security_events::Services events{security_events_, failures_, parts_.blocking, guards};
  std::vector<web::Route> table;
  web::append(table, wallet_sign_in::web_routes({wallets_, sign_in_, guards}));
  web::append(table,
              oauth::web_routes({identity_provider_, "/api/auth/idp", "Idp", "identity provider", sign_in_, guards}));
  web::append(table, oauth::web_routes({code_host_, "/api/auth/codehost", "Codehost", "code host", sign_in_, guards}));
  web::append(table, sign_in::web_routes({sign_in_, guards}));
  web::append(table, security_events::web_routes(events));
  web::append(table, recovery::web_routes({recovery_, audit_, guards}));
  web::append(table, verification::web_routes({verification_, audit_, guards}));
  web::append(table, second_factor::web_routes({factor_settings_, site_, guards}));
  web::append(table, token_gating::web_routes({gating_, guards}));
  web::append(table, social_identity::web_routes({social_identity_, gating_, sign_in_, audit_, guards}));
  web::append(table, security_events::admin_web_routes(events));
  web::append(table, audit::web_routes({audit_, parts_.blocking, guards}));
  return table;
}

std::vector<web::Route> Authentication::backend_routes() {
  const Guards& guards = parts_.guards;
  std::vector<web::Route> table;
  web::append(table, security_events::backend_routes({security_events_, failures_, parts_.blocking, guards}));
  web::append(table, mail::backend_routes({outbox_, parts_.blocking, guards}));
  web::append(table, audit::backend_routes({audit_, parts_.blocking, guards}));
  return table;
}

void Authentication::start() {
  sweeps_.start();
  failure_writer_.start();
  security_events_.start();
  recovery_.start();
  outbox_.start();
}

web::Task<> Authentication::stop() {
  co_await sweeps_.stop();
  co_await failure_writer_.stop();
  co_await failures_.write();
  co_await security_events_.stop();
  co_await recovery_.stop();
  co_await outbox_.stop();
}

web::Task<> Authentication::sweep() {
  const auto now = store::now();
  co_await replay_guard_.sweep(now);
  co_await audit_.sweep(now);
  co_await security_events_.sweep(now);
  co_await recovery_.sweep(now);
  co_await verification_.sweep(now);
  co_await outbox_.sweep(now);
}

}  // namespace agentbox
