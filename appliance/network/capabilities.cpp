#include "appliance/network/capabilities.h"

// Each capability is a namespace with a function capability(), defined in its folder.
#define CAPABILITY(name)            \
  namespace name {                  \
  network::Capability capability(); \
  }
#include "appliance/network/capabilities.inc"
#undef CAPABILITY

namespace network {

std::vector<Capability> capabilities() {
  return {
#define CAPABILITY(name) ::name::capability(),
#include "appliance/network/capabilities.inc"
#undef CAPABILITY
  };
}

}  // namespace network
