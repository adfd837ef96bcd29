#include "appliance/identity/personal_data/rows.h"
#include "appliance/network/email_in/routes.h"
#include "appliance/network/email_in/signature.h"
#include "appliance/network/module.h"
#include "web/log.h"

namespace email_in {

namespace {

struct Parts {
  explicit Parts(network::Module& module)
      : settings(module.platform.settings),
        key(signing_key(settings.email_webhook_secret)),
        inbox(module.platform.system, module.hosting.chat, module.hosting.uploads, module.platform.home) {
    if (key.empty() && !settings.email_webhook_secret.empty())
      web::log::warning("email_refused", {{"reason", std::string("EMAIL_WEBHOOK_SECRET is not whsec_ and base64")}});
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, messages));
  }

  Services services() { return {inbox, key, settings.email_allowed_senders}; }
  web::Task<> start() {
    inbox.start();
    co_return;
  }
  web::Task<> stop() { return inbox.stop(); }

  const agentbox::Settings& settings;
  const std::string key;
  Inbox inbox;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.tables = {store::describe(messages)}, .web = web_routes});
}

}  // namespace email_in
