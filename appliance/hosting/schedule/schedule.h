// The parts of scheduled prompts, built in order.
#pragma once

#include <boost/asio/io_context.hpp>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/hosting/notices/notices.h"
#include "appliance/hosting/schedule/scheduler.h"
#include "appliance/hosting/schedule/tasks.h"
#include "appliance/hosting/schedule/time_zone.h"

namespace schedule {

struct Schedule {
  Schedule(store::System system, const billing::Subscriptions& subscriptions, Sender send, Teller tell,
           boost::asio::io_context& home, Clock clock = store::now)
      : tasks(system, subscriptions, zones, clock),
        scheduler(system, zones, std::move(send), std::move(tell), clock, home) {}

  const TimeZones zones;
  Tasks tasks;
  Scheduler scheduler;
};

// Whether a user may still build this agent of another.
using MayBuild = std::function<bool(store::UserId, const std::string& agent)>;
// Sends prompts to the agent, in a conversation for each task; fails for disabled users. What a builder has scheduled
// runs for the builder. All of it must outlive the sender.
Sender chat_sender(store::System, chat::Chat&, MayBuild = {});
// Sends results of runs as notices, which must outlive it. Beyond the agent's limit they are in the task's history
// only.
Teller notice_teller(notices::Notices&);

}  // namespace schedule
