#include "appliance/hosting/agents/bus_config.h"

#include <optional>

#include "web/client/fetch_url.h"
#include "web/routes/fields.h"

namespace agents {

namespace {

struct BusFields {
  std::optional<BusAccept> accept;
  std::optional<web::List<web::Id, 0, 100>> listed;
  std::optional<BusDelivery> delivery;
};
BOOST_DESCRIBE_STRUCT(BusFields, (), (accept, listed, delivery))

struct BusMember {
  std::optional<BusDelivery> bus;
};
BOOST_DESCRIBE_STRUCT(BusMember, (), (bus))

struct WebhookMember {
  std::optional<web::Text<1, 2'048>> webhookUrl;
};
BOOST_DESCRIBE_STRUCT(WebhookMember, (), (webhookUrl))

web::Result<std::string> read_webhook_url(const boost::json::object& config) {
  auto read = web::parse_value<WebhookMember>(config, "config");
  if (!read) return read.error();
  if (!read->webhookUrl) return std::string();
  if (!web::parse_fetch_url(*read->webhookUrl))
    return web::invalid("config.webhookUrl must be an http or https URL without a user name");
  return std::string(std::move(*read->webhookUrl));
}

}  // namespace

web::Result<BusConfig> read_bus_config(const boost::json::object& config) {
  BusConfig found;
  auto url = read_webhook_url(config);
  if (!url) return url.error();
  found.webhook_url = std::move(*url);
  const auto* bus = config.if_contains("bus");
  if (!bus || bus->is_null()) return found;
  if (bus->is_string()) {
    const auto read = web::parse_value<BusMember>(config, "config");
    if (!read) return read.error();
    found.delivery = *read->bus;
    return found;
  }
  auto read = web::parse_value<BusFields>(*bus, "config.bus");
  if (!read) return read.error();
  found.accept = read->accept.value_or(BusAccept::own);
  if (read->listed) found.listed.assign(read->listed->begin(), read->listed->end());
  found.delivery = read->delivery.value_or(BusDelivery::queue);
  return found;
}

}  // namespace agents
