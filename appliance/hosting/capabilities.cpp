#include "appliance/hosting/capabilities.h"

// Each capability is a namespace with a function capability(), defined in its folder.
#define CAPABILITY(name)            \
  namespace name {                  \
  hosting::Capability capability(); \
  }
#include "appliance/hosting/capabilities.inc"
#undef CAPABILITY

namespace hosting {

std::vector<Capability> capabilities() {
  return {
#define CAPABILITY(name) ::name::capability(),
#include "appliance/hosting/capabilities.inc"
#undef CAPABILITY
  };
}

}  // namespace hosting
