// What happens to accounts and agents, for parts of the box that act on it. The composition root makes the one list
// before all modules. Parts subscribe while they are built and are called in that order. Once the box serves, no part
// subscribes any more: publishing needs no lock.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"
#include "web/task.h"

namespace accounts {

struct User;

struct Newcomer {
  const User& user;
  const User* referrer;  // null unless the user has registered with a referral code
  bool has_plan;         // the change gives one already, as an invitation says
};

}  // namespace accounts

namespace agentbox {

template <class... Args>
class Event {
 public:
  using Subscriber = std::function<void(Args...)>;
  void subscribe(Subscriber subscriber) { subscribers_.push_back(std::move(subscriber)); }
  void publish(Args... args) const {
    for (const auto& subscriber : subscribers_) subscriber(args...);
  }

 private:
  std::vector<Subscriber> subscribers_;
};

// Its publisher waits for the subscribers, one after the other.
template <class... Args>
class AwaitedEvent {
 public:
  using Subscriber = std::function<web::Task<>(Args...)>;
  void subscribe(Subscriber subscriber) { subscribers_.push_back(std::move(subscriber)); }
  web::Task<> publish(Args... args) const {
    for (const auto& subscriber : subscribers_) co_await subscriber(args...);
  }

 private:
  std::vector<Subscriber> subscribers_;
};

struct Events {
  // Adds to the change that creates a user.
  Event<const accounts::Newcomer&, store::Change&> account_created;
  // The verified owner of its address takes an account over: adds to the change, to remove what another part of the box
  // keeps for the user. May be published several times for one change.
  Event<store::UserId, store::Change&> account_claim;
  // After the commit of such a change.
  Event<store::UserId> account_claimed;
  // All sessions of a user were ended: by a new password, by disabling, or by the user.
  AwaitedEvent<store::UserId> sessions_ended;
  // Adds to the change that removes a group of users, by its id.
  Event<const std::string&, store::Change&> group_removed;
  // An agent is deleted, before its record is. May be published again after a crash.
  AwaitedEvent<store::UserId, std::string> agent_removed;
};

}  // namespace agentbox
