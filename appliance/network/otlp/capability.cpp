#include <optional>

#include "appliance/foundation/otlp_headers.h"
#include "appliance/network/module.h"
#include "appliance/network/otlp/exporter.h"
#include "appliance/network/otlp/routes.h"

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
