// What this module offers, in the order in which it is built and started.
#pragma once

#include "appliance/identity/capability.h"

namespace media {

class Module;
using Capability = agentbox::Capability<Module>;

std::vector<Capability> capabilities();

}  // namespace media
