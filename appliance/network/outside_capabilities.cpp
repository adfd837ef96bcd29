// What is seen of agents, and how the world outside of the box reaches them: what each capability is built of, and what
// it brings.
#include "appliance/network/capabilities.h"

#include <optional>

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/otlp_headers.h"
#include "appliance/foundation/webhook_signature.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/network/colony/handlers.h"
#include "appliance/network/colony/platform_metrics.h"
#include "appliance/network/data_feeds/fetcher.h"
#include "appliance/network/data_feeds/handlers.h"
#include "appliance/network/email_in/handlers.h"
#include "appliance/network/fleet/handlers.h"
#include "appliance/network/hosting_mcp/handlers.h"
#include "appliance/network/mcp_server/authorization/handlers.h"
#include "appliance/network/mcp_server/handlers.h"
#include "appliance/network/module.h"
#include "appliance/network/otlp/exporter.h"
#include "appliance/network/otlp/handlers.h"
#include "appliance/network/traces/handlers.h"
#include "web/log.h"

namespace fleet {

namespace {

struct Parts {
  explicit Parts(network::Module& given)
      : network(given), costs(given.platform.system, given.billing.ledger, given.payments.transfers.rules) {}

  Services services() {
    return {.souls = network.souls,
            .traces = network.traces,
            .costs = costs,
            .negotiation = network.negotiation,
            .system = network.platform.system,
            .web_url = network.hosting.web_url()};
  }
  web::Task<> stop() { return network.load_sampler.stop(); }

  network::Module& network;
  Costs costs;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace fleet

namespace traces {

namespace {

struct Parts {
  explicit Parts(network::Module& given) : network(given) {}
  Services services() { return {network.traces}; }

  network::Module& network;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace traces

namespace otlp {

namespace {

struct Parts {
  explicit Parts(network::Module& given) : network(given) {
    const auto& settings = given.platform.settings;
    if (settings.otel_exporter_otlp_endpoint.empty()) return;
    exporter.emplace(settings.otel_exporter_otlp_endpoint,
                     agentbox::parse_otlp_headers(settings.otel_exporter_otlp_headers).value(), given.platform.home);
    given.billing.spans.when_recorded(exporter->sink());
  }
  Services services() { return {network.billing.spans}; }
  web::Task<> start() {
    if (exporter) exporter->start();
    co_return;
  }
  web::Task<> stop() {
    if (exporter) co_await exporter->stop();
  }

  network::Module& network;
  std::optional<Exporter> exporter;
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace otlp

namespace colony {

namespace {

struct Parts {
  explicit Parts(network::Module& given) : network(given) {}
  Services services() {
    return {.system = network.platform.system,
            .souls = network.souls,
            .subscriptions = network.billing.subscriptions,
            .engine = network.hosting.engine->name()};
  }

  network::Module& network;
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.web = web_routes}); }

}  // namespace colony

namespace platform_metrics {

namespace {

struct Parts {
  explicit Parts(network::Module& given) : network(given) {}
  Services services() {
    return {.system = network.platform.system, .ledger = network.billing.ledger, .recorder = network.billing.spans};
  }

  network::Module& network;
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.web = web_routes}); }

}  // namespace platform_metrics

namespace hosting_mcp {

namespace {

struct Parts {
  explicit Parts(network::Module&) {}
  Services services() { return {}; }
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace hosting_mcp

namespace data_feeds {

namespace {

struct Parts {
  explicit Parts(network::Module& module)
      : network(module),
        feeds(module.platform.system),
        own(module.models.gateway, module.billing.ledger, module.hosting.agents.directory),
        fetcher(feeds, module.platform.home,
                module.platform.settings.feeds_allow_private ? web::Reach::configured : web::Reach::public_only) {}

  Services services() { return {feeds, own, network.identity.audit, network.hosting.turns}; }
  web::Task<> start() {
    fetcher.start();
    co_return;
  }
  web::Task<> stop() { return fetcher.stop(); }

  network::Module& network;
  DataFeeds feeds;
  OwnFeedReader own;
  Fetcher fetcher;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.tables = {store::describe(data_feeds::feeds), store::describe(answers)},
                                         .web = web_routes,
                                         .backend = backend_routes});
}

}  // namespace data_feeds

namespace email_in {

namespace {

struct Parts {
  explicit Parts(network::Module& module)
      : settings(module.platform.settings),
        key(webhook_signature::signing_key(settings.email_webhook_secret)),
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

namespace mcp_authorization {

namespace {

// The tools that an access token for reading has.
std::vector<std::string> reading_tools(network::Module& module) {
  auto rows = module.billing.rows();
  rows.add(module.hosting.rows());
  const mcp_server::Tools tools(std::move(rows.web), [] { return std::string(); });
  std::vector<std::string> names;
  for (const auto& tool : tools.list({})) names.emplace_back(tool.as_object().at("name").as_string());
  return names;
}

struct Parts {
  explicit Parts(network::Module& module)
      : network(module),
        authorization(
            module.platform.system, crypto::derived_key(module.platform.master_key, "clients of /mcp"),
            [&module] { return module.identity.site.url("/mcp"); }, reading_tools(module)) {
    module.identity.events.account_claimed.subscribe([this](store::UserId user) { return authorization.forget(user); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, grants));
  }
  Services services() { return {authorization, network.identity.site, network.identity.audit}; }

  network::Module& network;
  Authorization authorization;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.tables = {store::describe(grants)}, .web = web_routes});
}

}  // namespace mcp_authorization

namespace mcp_server {

namespace {

// The tables that the marked rows are in.
std::vector<web::Route> rows_of(network::Module& module) {
  auto rows = module.billing.rows();
  rows.add(module.hosting.rows());
  return std::move(rows.web);
}

struct Parts {
  explicit Parts(network::Module& module)
      : network(module),
        cross_origin(mcp_server::cross_origin(module.platform.settings.mcp_origins)),
        tools(rows_of(module), [&module] { return module.hosting.summarizer_url(); }) {}

  Services services() {
    return {tools,
            sessions,
            network.identity.keys,
            network.hosting.agents.directory,
            network.identity.audit,
            network.hosting.turns,
            network.identity.site,
            cross_origin};
  }

  network::Module& network;
  const web::CrossOrigin cross_origin;
  const Tools tools;
  Sessions sessions;
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.web = web_routes, .backend = routes}); }

}  // namespace mcp_server
