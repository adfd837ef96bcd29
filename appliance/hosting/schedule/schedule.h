// Scheduled prompts: the parts, as the box holds them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/hosting/schedule/scheduler.h"
#include "appliance/hosting/schedule/tasks.h"
#include "appliance/hosting/schedule/time_zone.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace schedule {

struct Schedule {
  Schedule(store::System system, const billing::Subscriptions& subscriptions, Sender send,
           boost::asio::io_context& home, Clock clock = store::now)
      : tasks(system, subscriptions, zones, clock), scheduler(system, zones, std::move(send), clock, home) {}

  const TimeZones zones;
  Tasks tasks;
  Scheduler scheduler;
};

// As POST /api/chat sends messages, but not for a user who is disabled. Both must outlive the sender.
Sender through(store::System, chat::Chat&);

// /api/scheduled-tasks on the web, and /api/agent-tasks on the backend, where an agent schedules its own prompts. The
// arguments must outlive the rows.
std::vector<web::Route> web_routes(Schedule&, const agentbox::Guards&);
std::vector<web::Route> backend_routes(Schedule&, const agentbox::Guards&);

}  // namespace schedule
