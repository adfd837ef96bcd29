#include "appliance/demo/fake_services/fake_services.h"

#include "appliance/demo/fake_services/inbox.h"
#include "appliance/demo/fake_services/web_site.h"
#include "appliance/foundation/version.h"

namespace demo {

FakeServices::FakeServices(const std::string& listen) {
  web::ListenerOptions listener;
  listener.name = "outside";
  listener.listen = listen;
  listener.routes = web_site();
  append(listener.routes, inbox(box_));
  append(listener.routes, people_.routes());
  append(listener.routes, cards_.routes());
  append(listener.routes, chain_.routes());
  append(listener.routes, models_.routes());
  append(listener.routes, link_.routes());
  listener.version = agentbox::version;
  server_.listen(std::move(listener));
  people_.set_issuer(url() + "/idp");
  cards_.set_url(url() + "/cards");
  pool_.start();
}

FakeServices::~FakeServices() { pool_.stop(); }

std::vector<std::string> FakeServices::models_of(const agentbox::Settings& settings) const {
  return settings.openrouter_api_key == models_.key() ? ModelService::models() : std::vector<std::string>();
}

void FakeServices::add_to(agentbox::Settings& settings) const {
  settings.idp_issuer = people_.issuer();
  settings.idp_client_id = {people_.client_id()};
  settings.idp_client_secret = people_.client_secret();
  settings.stripe_api_url = cards_.url();
  settings.stripe_secret_key = cards_.secret_key();
  settings.stripe_webhook_secret = cards_.webhook_secret();
  settings.stripe_prices = CardProcessor::prices();
  const bool has_models = !settings.local_model_url.empty() || !settings.openrouter_api_key.empty() ||
                          !settings.anthropic_api_key.empty() || !settings.openai_api_key.empty() ||
                          !settings.google_api_key.empty();
  if (!has_models) {
    settings.openrouter_api_key = models_.key();
    settings.openrouter_base_url = url() + "/models";
  }
  settings.testnet_rpc_url = url() + "/chain";
  settings.testnet_chain_id = TokenChain::id;
  settings.testnet_usdc_address = TokenChain::token().lower_case();
}

}  // namespace demo
