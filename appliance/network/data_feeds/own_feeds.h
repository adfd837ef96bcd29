// The feeds that the box itself offers: nothing is fetched, and they are about the caller.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <span>
#include <string_view>

#include "appliance/billing/usage/ledger.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/models/model_gateway.h"
#include "web/task.h"

namespace data_feeds {

struct OwnFeed {
  std::string_view name, description;
};
// By name.
std::span<const OwnFeed> own_feeds();
const OwnFeed* own_feed(std::string_view name);  // null: there is none of this name

// Callable from every thread; the arguments must outlive it.
class OwnFeedReader {
 public:
  OwnFeedReader(models::ModelGateway& gateway, const usage::Ledger& ledger, const agents::AgentDirectory& agents)
      : gateway_(gateway), ledger_(ledger), agents_(agents) {}

  // `name` is one of own_feeds().
  web::Task<boost::json::value> read(std::string_view name, store::UserId);

 private:
  web::Task<boost::json::value> models();
  boost::json::value usage(store::UserId) const;
  boost::json::value status(store::UserId) const;

  models::ModelGateway& gateway_;
  const usage::Ledger& ledger_;
  const agents::AgentDirectory& agents_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace data_feeds
