// Security events from the identity provider, and what was done about them.
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "store/store.h"
#include "store/table.h"

namespace security_events {

struct Event {
  std::string type;     // a standard event's name: "account-disabled"; else its URI, truncated, in angle brackets
  std::string reason;   // as the provider sent it; may be empty
  std::string subject;  // the provider's name for the account; empty when the receiver matches by e-mail alone
  std::string email;    // lower case; may be empty
};
BOOST_DESCRIBE_STRUCT(Event, (), (type, reason, subject, email))

enum class Progress { pending, done };
BOOST_DESCRIBE_ENUM(Progress, pending, done)

struct Received {
  std::string id;              // SHA-256 of the token's jti, in hex: a repeated event is the same record
  std::string jti;             // as sent, truncated
  std::string subject, email;  // of the first event that names an account
  std::vector<Event> events;
  Progress progress = Progress::pending;
  std::vector<std::string> actions;  // what was done, one sentence per event
  store::Time received_at{};
  store::Time done_at{};
};
BOOST_DESCRIBE_STRUCT(Received, (), (id, jti, subject, email, events, progress, actions, received_at, done_at))

inline const store::Global<Received> received{{.family = "security_events", .number = 7},
                                              &Received::id,
                                              {store::index<Received>(1, "progress", &Received::progress),
                                               store::index<Received>(2, "received_at", &Received::received_at)}};

}  // namespace security_events
