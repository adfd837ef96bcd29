// The part of an agent's config that governs what reaches it over the bus:
//
//   "webhookUrl": "https://example.org/agent",
//   "bus": {"accept": "own", "listed": ["ag_..."], "delivery": "queue"}
//
// "bus": "deliver" is short for {"delivery": "deliver"}.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "web/result.h"

namespace agents {

// Whose messages reach the agent: those of its owner's agents; also those of listed agents; everybody's.
BOOST_DEFINE_ENUM_CLASS(BusAccept, own, listed, all)
// Messages wait until the agent reads them, or are also sent to it like a prompt.
BOOST_DEFINE_ENUM_CLASS(BusDelivery, queue, deliver)

struct BusConfig {
  std::string webhook_url;  // empty: none
  BusAccept accept = BusAccept::own;
  std::vector<std::string> listed;  // ids of agents
  BusDelivery delivery = BusDelivery::queue;
};

// invalid, naming the field ("config.bus.accept").
web::Result<BusConfig> read_bus_config(const boost::json::object& config);

}  // namespace agents
