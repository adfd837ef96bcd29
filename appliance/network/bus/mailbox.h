// What has come to an agent, and what could not be delivered to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "appliance/network/bus/delivery_worker.h"
#include "appliance/network/bus/records.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace bus {

// Callable from every thread. All arguments must outlive it.
class Mailbox {
 public:
  Mailbox(store::System system, DeliveryWorker& worker) : system_(std::move(system)), worker_(worker) {}

  struct Slice {
    std::size_t limit = 50;
    std::int64_t before = 0;  // a message's number; 0: from the newest
  };
  // Newest first. not_found when the agent is not this owner's.
  web::Result<std::vector<Message>> list(store::UserId, const std::string& agent, const Slice&) const;
  // Oldest first.
  std::vector<Message> unread(store::UserId, const std::string& agent, std::size_t limit) const;
  // Unknown numbers are ignored. Returns how many became read.
  web::Task<std::int64_t> mark_read(store::UserId, std::string agent, std::vector<std::int64_t> numbers);

  // By their messages, newest first, behind the id `before` unless it is empty.
  std::vector<DeadLetter> dead_letters(store::UserId, std::string before, std::size_t limit) const;
  // Back into delivery, or dropped. not_found.
  web::Task<web::Result<void>> replay(store::UserId, std::string dead_letter);
  web::Task<web::Result<void>> drop(store::UserId, std::string dead_letter);

  // Everything that came to an agent.
  web::Task<> forget(store::UserId, std::string agent);
  // Removes what is older than `kept`.
  web::Task<> sweep(store::Time now);

 private:
  store::System system_;
  DeliveryWorker& worker_;
};

}  // namespace bus
