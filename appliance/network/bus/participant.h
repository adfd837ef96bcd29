// An agent as the bus sees it.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/hosting/agents/records.h"
#include "store/store.h"

namespace bus {

// Part of the agents' rows. Never written.
struct Participant {
  std::int64_t owner = 0;
  std::string id, name, subdomain, plan, desired;
  agents::Status status = agents::Status::pending;
  boost::json::object config;
  store::Sealed box_token;
};
BOOST_DESCRIBE_STRUCT(Participant, (), (owner, id, name, subdomain, plan, desired, status, config, box_token))

inline const store::Owned<Participant> participants{
    agents::records.name,
    &Participant::owner,
    &Participant::id,
    {store::unique<Participant>(1, "agent", &Participant::id),
     store::unique<Participant>(2, "subdomain", &Participant::subdomain)}};

// Of any owner. Agents that are being deleted are not found.
std::optional<store::Row<Participant>> find_participant(const store::System&, std::string_view id);
// By the first label of its host name.
std::optional<store::Row<Participant>> find_participant_at(const store::System&, const std::string& subdomain);
// Of this owner.
std::optional<store::Row<Participant>> find_participant(const store::System&, store::UserId owner, std::string_view id);

// Whether the recipient's config lets messages of this sender reach it.
bool admits(const Participant& recipient, const Participant& sender);

}  // namespace bus
