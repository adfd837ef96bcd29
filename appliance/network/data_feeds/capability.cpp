#include "appliance/network/data_feeds/fetcher.h"
#include "appliance/network/data_feeds/routes.h"
#include "appliance/network/module.h"

namespace data_feeds {

namespace {

struct Parts {
  explicit Parts(network::Module& module)
      : network(module),
        feeds(module.platform.system),
        own(module.models.gateway, module.billing.ledger, module.hosting.agents.directory),
        fetcher(feeds, module.platform.home,
                module.platform.settings.feeds_allow_private ? web::Reach::configured : web::Reach::public_only) {}

  Services services() { return {feeds, own, network.identity.audit}; }
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
