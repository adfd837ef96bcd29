#include "appliance/ways_in.h"

#include "appliance/crypto/hmac.h"
#include "appliance/oauth/routes.h"
#include "appliance/wallet_sign_in/routes.h"

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

}  // namespace

WaysIn::WaysIn(Parts given)
    : parts_(std::move(given)),
      site_(parts_.settings.base_url),
      once_(parts_.system),
      audit_(parts_.system),
      identities_(parts_.system, parts_.accounts, parts_.keys),
      rpc_(parts_.settings.l2_rpc_url, parts_.settings.l2_chain_id),
      nonces_(crypto::derived_key(parts_.master_key, "wallet nonces"), once_),
      wallets_(nonces_, rpc_, identities_, site_),
      provider_(parts_.settings.idp_issuer),
      identity_provider_(provider_, identity_client(parts_.settings),
                         {crypto::derived_key(parts_.master_key, "identity provider visits"), "agentbox-idp", once_},
                         identities_, site_),
      code_host_(
          {parts_.settings.codehost_base_url, parts_.settings.codehost_api_url}, code_host_client(parts_.settings),
          {crypto::derived_key(parts_.master_key, "code host visits"), "agentbox-codehost", once_}, identities_, site_),
      sweeps_(parts_.home, "ways in", 10min, [this] { return sweep(); }) {}

std::vector<web::Route> WaysIn::web_routes() {
  std::vector<web::Route> table;
  web::append(table, wallet_sign_in::routes(wallets_, parts_.sessions, audit_, parts_.guards));
  web::append(table, oauth::routes({identity_provider_, "/api/auth/idp", "Idp", "identity provider"}, parts_.sessions,
                                   audit_, parts_.guards));
  web::append(table, oauth::routes({code_host_, "/api/auth/codehost", "Codehost", "code host"}, parts_.sessions, audit_,
                                   parts_.guards));
  return table;
}

std::vector<web::Route> WaysIn::backend_routes() { return {}; }

void WaysIn::start() { sweeps_.start(); }

web::Task<> WaysIn::stop() { co_await sweeps_.stop(); }

web::Task<> WaysIn::sweep() {
  const auto now = store::now();
  co_await once_.sweep(now);
  co_await audit_.sweep(now);
}

}  // namespace agentbox
