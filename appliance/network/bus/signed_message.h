// Messages that come with a signature: POST /api/underground/bus/send.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <optional>

#include "appliance/network/bus/action.h"
#include "appliance/network/bus_keys/bus_keys.h"
#include "web/result.h"
#include "web/routes/fields.h"

namespace bus {

inline constexpr std::chrono::minutes clock_tolerance{5};

struct SendRequest {
  web::Text<1, 128> messageId;
  web::Text<1, 64> action;
  web::Text<1, 1'024> signature;
  std::optional<web::Text<1, 128>> from, to;
  std::optional<web::Text<1, 64>> timestamp;
  std::optional<boost::json::object> payload;
  std::optional<web::Text<1, 128>> keyId;
};
BOOST_DESCRIBE_STRUCT(SendRequest, (), (messageId, action, signature, from, to, timestamp, payload, keyId))

// The message of a body whose signature covers the canonical JSON of all its members but `signature`. invalid, naming
// the field, for members of the wrong form; unauthenticated, with one sentence for every cause, if the signature cannot
// be verified: no or an unknown sender or key, a timestamp that is missing or off by more than clock_tolerance, numbers
// without a canonical form.
web::Result<Outgoing> verified(const store::System&, const bus_keys::BusKeys&, const boost::json::object& body,
                               store::Time now);

}  // namespace bus
