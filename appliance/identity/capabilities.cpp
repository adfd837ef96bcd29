#include "appliance/identity/capabilities.h"

// Each capability is a namespace with a function capability(), defined in its folder.
#define CAPABILITY(name)             \
  namespace name {                   \
  identity::Capability capability(); \
  }
#include "appliance/identity/capabilities.inc"
#undef CAPABILITY

namespace identity {

std::vector<Capability> capabilities() {
  return {
#define CAPABILITY(name) ::name::capability(),
#include "appliance/identity/capabilities.inc"
#undef CAPABILITY
  };
}

}  // namespace identity
