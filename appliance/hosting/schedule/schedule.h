// The parts of scheduled prompts, built in order.
#pragma once

#include <boost/asio/io_context.hpp>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/hosting/schedule/scheduler.h"
#include "appliance/hosting/schedule/tasks.h"
#include "appliance/hosting/schedule/time_zone.h"

namespace schedule {

struct Schedule {
  Schedule(store::System system, const billing::Subscriptions& subscriptions, Sender send,
           boost::asio::io_context& home, Clock clock = store::now)
      : tasks(system, subscriptions, zones, clock), scheduler(system, zones, std::move(send), clock, home) {}

  const TimeZones zones;
  Tasks tasks;
  Scheduler scheduler;
};

// Sends prompts like POST /api/chat, but fails for disabled users. Both must outlive the sender.
Sender chat_sender(store::System, chat::Chat&);

}  // namespace schedule
