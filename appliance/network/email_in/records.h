// Mails that were accepted for agents.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>

#include "store/store.h"

namespace email_in {

BOOST_DEFINE_ENUM_CLASS(Delivery, queued, delivered, failed)

struct Message {
  std::int64_t owner = 0;
  std::string id;  // of the webhook's event and the agent, so that an event counts once
  std::string agent;
  std::string from;  // the address that the mail names; empty in mails of earlier versions
  std::string text;  // what the agent is sent; empty once it is delivered
  Delivery delivery = Delivery::queued;
  std::string failure;  // of the last attempt
  std::int64_t attempts = 0;
  store::Time received_at{};
  std::optional<store::Time> next_at;  // of the next attempt; none unless it is queued
};
BOOST_DESCRIBE_STRUCT(Message, (), (owner, id, agent, from, text, delivery, failure, attempts, received_at, next_at))

inline const store::Owned<Message> messages{
    {.family = "emails_in", .number = 96},
    &Message::owner,
    &Message::id,
    {store::index<Message>(1, "next", &Message::next_at), store::index<Message>(2, "received", &Message::received_at)}};

}  // namespace email_in
