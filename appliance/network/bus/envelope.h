// A message as recipients see it.
#pragma once

#include <boost/json/object.hpp>

#include "appliance/network/bus/records.h"

namespace bus {

// {"messageId", "from", "to", "action", "payload", "timestamp", "acceptedAt"} and what the box adds ("booking",
// "post").
boost::json::object envelope_of(const Message&);

}  // namespace bus
