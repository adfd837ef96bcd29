// What the bus keeps: accepted messages, what is still to be delivered, and what could not be.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace bus {

// Messages, the answers to their senders and dead letters are kept this long.
inline constexpr std::chrono::days kept{30};

// "ag_1/0001764021600000000": numbers of up to 16 digits sort as texts.
std::string numbered(std::string_view agent, std::int64_t number);

// A message that the box has accepted for one recipient.
struct Message {
  std::int64_t owner = 0;   // the recipient's
  std::string id;           // numbered(to, number)
  std::int64_t number = 0;  // rises with every message that the box accepts
  std::string message_id;   // the sender's
  std::string from, to, action;
  boost::json::object payload;
  boost::json::object context;  // what the box adds: the booking or the post that the message is about
  store::Time sent_at, accepted_at;
  std::optional<std::string> unread;  // the recipient while it has not read the message
};
BOOST_DESCRIBE_STRUCT(Message, (),
                      (owner, id, number, message_id, from, to, action, payload, context, sent_at, accepted_at, unread))

inline const store::Owned<Message> messages{{.family = "bus_messages", .number = 71},
                                            &Message::owner,
                                            &Message::id,
                                            {store::scoped<Message>(1, "unread", &Message::unread),
                                             store::index<Message>(2, "accepted", &Message::accepted_at)}};

// Where a message goes besides the recipient's mailbox.
BOOST_DEFINE_ENUM_CLASS(Channel, webhook, agent)

// A message on its way over one channel. Those of one sender to one recipient are delivered one after the other.
struct Delivery {
  std::int64_t owner = 0;  // the recipient's
  std::string id;          // the channel's name and the message's id
  Channel channel = Channel::webhook;
  std::string message;  // its row id
  std::int64_t number = 0;
  std::string from, to, action;
  std::string place;  // lane_of() and the message's number
  std::int64_t attempts = 0;
  std::string problem;  // of the last attempt
  store::Time created_at, next_at;
};
BOOST_DESCRIBE_STRUCT(Delivery, (),
                      (owner, id, channel, message, number, from, to, action, place, attempts, problem, created_at,
                       next_at))

inline const store::Owned<Delivery> deliveries{{.family = "bus_deliveries", .number = 72},
                                               &Delivery::owner,
                                               &Delivery::id,
                                               {store::index<Delivery>(1, "place", &Delivery::place)}};

// Names a sequence of deliveries that keeps its order.
std::string lane_of(Channel, std::string_view from, std::string_view to);

// The answer to a message, by sender and the sender's id for it: a repetition gets it again.
struct Sent {
  std::int64_t owner = 0;  // the sender's
  std::string id;          // sent_id()
  std::string digest;      // SHA-256 of recipient, action and payload
  boost::json::object context;
  store::Time accepted_at;
};
BOOST_DESCRIBE_STRUCT(Sent, (), (owner, id, digest, context, accepted_at))

inline const store::Owned<Sent> sent{{.family = "bus_sent", .number = 73},
                                     &Sent::owner,
                                     &Sent::id,
                                     {store::index<Sent>(1, "accepted", &Sent::accepted_at)}};

std::string sent_id(std::string_view from, std::string_view message_id);

// A delivery that was given up. The message itself stays in the recipient's mailbox.
struct DeadLetter {
  std::int64_t owner = 0;  // the recipient's
  std::string id;          // "dl_", the message's number, "_" and the channel
  Channel channel = Channel::webhook;
  std::string message;  // its row id
  std::string from, to, action;
  std::int64_t attempts = 0;
  std::string problem;
  store::Time created_at, died_at;
};
BOOST_DESCRIBE_STRUCT(DeadLetter, (),
                      (owner, id, channel, message, from, to, action, attempts, problem, created_at, died_at))

inline const store::Owned<DeadLetter> dead_letters{{.family = "bus_dead_letters", .number = 78},
                                                   &DeadLetter::owner,
                                                   &DeadLetter::id,
                                                   {store::index<DeadLetter>(1, "died", &DeadLetter::died_at)}};

}  // namespace bus
