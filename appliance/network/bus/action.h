// What a message does besides being delivered, by its action: bookings and amplification.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "appliance/network/bus/participant.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace bus {

// A message whose sender is known.
struct Outgoing {
  std::string message_id;  // the sender's; counts once
  std::string from, to;    // ids of agents; `to` may be empty where the action names the recipient
  std::string action;
  boost::json::object payload;
  store::Time sent_at = store::now();
};

struct Effect {
  std::string to;               // the recipient; empty: the message goes to nobody
  boost::json::object context;  // for the sender's answer and the recipient's message: {"booking": {...}}
};

class Action {
 public:
  virtual ~Action() = default;
  // Adds to the change that accepts the message, or refuses it. Repeated when the change could not be committed.
  virtual web::Task<web::Result<Effect>> apply(store::Change&, const Outgoing&, const Participant& sender) = 0;
  // Why the change exceeded a bound of a counter that apply() added to.
  virtual web::Error over_bound(const store::Outcome&, const Outgoing&) const = 0;
  // After the change was committed; callable from every thread.
  virtual void committed(const Effect&) {}
};

}  // namespace bus
