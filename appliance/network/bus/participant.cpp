#include "appliance/network/bus/participant.h"

#include <algorithm>

#include "appliance/hosting/agents/bus_config.h"

namespace bus {

namespace {

std::optional<store::Row<Participant>> unless_removed(std::optional<store::Row<Participant>> row) {
  if (row && row->value.desired == agents::desired::removed) row.reset();
  return row;
}

}  // namespace

std::optional<store::Row<Participant>> find_participant(const store::System& system, std::string_view id) {
  return unless_removed(system.find_unique(participants, "agent", std::string(id)));
}

std::optional<store::Row<Participant>> find_participant_at(const store::System& system, const std::string& subdomain) {
  return unless_removed(system.find_unique(participants, "subdomain", subdomain));
}

std::optional<store::Row<Participant>> find_participant(const store::System& system, store::UserId owner,
                                                        std::string_view id) {
  return unless_removed(system.tenant(owner).get(participants, id));
}

bool admits(const Participant& recipient, const Participant& sender) {
  if (recipient.owner == sender.owner) return true;
  const auto config = agents::read_bus_config(recipient.config);
  if (!config) return false;  // stored before there was a check
  if (config->accept == agents::BusAccept::all) return true;
  return config->accept == agents::BusAccept::listed && std::ranges::count(config->listed, sender.id) > 0;
}

}  // namespace bus
