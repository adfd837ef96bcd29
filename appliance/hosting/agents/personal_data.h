// The part of personal data that agents are, with their workspaces.
#pragma once

#include <filesystem>

#include "appliance/hosting/agents/agents.h"
#include "appliance/identity/personal_data/personal_data.h"

namespace agents {

// `folder`: data/agents. The agents must outlive the part.
personal_data::Part personal_data_of(const store::System&, Agents&, std::filesystem::path folder);

}  // namespace agents
