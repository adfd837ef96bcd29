// The order in which requests get the slots of a model server: by class, and within a class fairly by user.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace models {

// Who waits for the answer, most urgent first: a person, a channel (mail, messages, other agents), a swarm, or a
// schedule.
BOOST_DEFINE_ENUM_CLASS(WaitClass, person, channel, swarm, schedule)
// In requests of agents' programs to /v1: who waits for the turn that the request belongs to.
inline constexpr std::string_view wait_class_header = "X-Agentbox-Wait-Class";
// Likewise: the box's id of the message that began the turn.
inline constexpr std::string_view turn_header = "X-Agentbox-Turn";
// A person for a name that is none.
WaitClass wait_class_named(std::string_view);
std::string_view to_string(WaitClass);

// Start-time fair queueing within a class. Each time a request has waited for `aging`, it moves up one class, so that
// nothing starves: whatever arrives later, a request starts at the latest when it has waited three times `aging` and
// the requests that were there before it have been answered. Time is a parameter. Not thread-safe.
class FairQueue {
 public:
  using Clock = std::chrono::steady_clock;
  using Id = std::uint64_t;
  static constexpr std::chrono::seconds aging{60};

  // Of the server. 0: no limit.
  void set_slots(std::size_t slots) { slots_ = slots; }
  std::size_t slots() const { return slots_; }

  // `weight`: of the user, from 1 on. A user of weight 3 gets three turns for one of a user of weight 1.
  Id join(WaitClass, const std::string& user, Clock::time_point now, std::uint32_t weight = 1);
  // A request that waits no longer, or whose answer is complete.
  void leave(Id, Clock::time_point now);
  // The next request to start, which has a slot from then on. Not set: none waits, or no slot is free.
  std::optional<Id> start_next(Clock::time_point now);

  struct Place {
    std::size_t number = 0;           // 1: the next
    std::chrono::seconds expected{};  // until it starts, by the time that earlier requests took
  };
  // Not set: it does not wait.
  std::optional<Place> place_of(Id, Clock::time_point now) const;
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t running() const { return running_.size(); }

 private:
  struct Waiting {
    WaitClass wait_class;
    std::string user;
    Clock::time_point since;
    std::uint64_t start = 0, end = 0;  // in virtual time
  };
  // Requests start in ascending order of (class after aging, virtual start, id).
  struct Rank {
    int wait_class;
    std::uint64_t start;
    Id id;
    auto operator<=>(const Rank&) const = default;
  };
  static Rank rank(Id, const Waiting&, Clock::time_point now);

  std::size_t slots_ = 0;
  Id last_id_ = 0;
  std::uint64_t virtual_time_ = 0;  // of the latest request that started
  // Of each user's latest request of a class, while it matters: what runs on a schedule costs a person no turn.
  std::map<std::pair<WaitClass, std::string>, std::uint64_t> virtual_ends_;
  std::map<Id, Waiting> waiting_;
  std::map<Id, Clock::time_point> running_;  // with the times when they started
  std::chrono::duration<double> usual_{10};  // of a request, a moving average
};

// The comment of a stream while its request waits: "queued 2, about 20 s".
std::string to_comment(const FairQueue::Place&);
// Not set: it is another comment.
std::optional<FairQueue::Place> parse_place(std::string_view comment);

}  // namespace models
