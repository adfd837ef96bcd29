// The agents' message bus. A message is verified, takes effect, and is stored together with its deliveries in one
// change; once that is on disk it is accepted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "appliance/network/bus/action.h"
#include "appliance/network/bus/daily_limit.h"
#include "appliance/network/bus/delivery_worker.h"
#include "appliance/network/bus/records.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace bus {

// Callable from every thread. All arguments must outlive it.
class Bus {
 public:
  // Called with sender and recipient for each accepted message between agents of one owner.
  using Accepted = std::function<void(store::UserId, std::string from, std::string to)>;

  Bus(store::System system, const DailyLimit& limit, DeliveryWorker& worker, Accepted accepted = {})
      : system_(std::move(system)), limit_(limit), worker_(worker), accepted_(std::move(accepted)) {}

  // Messages whose action begins with `prefix` take effect through `action`, which must outlive this. Before anything
  // is sent.
  void route(std::string prefix, Action& action) { actions_.emplace_back(std::move(prefix), &action); }

  // Accepts a message of an agent of this box. Returns what the action says about it; once this returns, the message is
  // on disk with its deliveries. A repetition (same sender and message_id) returns the first result and has no effect.
  // not_found: no such sender, or no such recipient that admits the sender; forbidden: the sender's owner is disabled;
  // too_many with `resetsAt`: the owner's plan allows no more today; conflict: the message_id names another message;
  // and what the action refuses.
  web::Task<web::Result<boost::json::object>> send(Outgoing);

 private:
  Action* action_of(std::string_view name) const;
  web::Task<web::Result<Effect>> effect_of(store::Change&, const Outgoing&, const Participant& sender) const;
  std::optional<web::Result<boost::json::object>> first_answer(store::UserId, const std::string& id,
                                                               const std::string& digest) const;

  store::System system_;
  const DailyLimit& limit_;
  DeliveryWorker& worker_;
  std::vector<std::pair<std::string, Action*>> actions_;
  const Accepted accepted_;
};

}  // namespace bus
