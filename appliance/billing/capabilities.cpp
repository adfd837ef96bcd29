#include "appliance/billing/capabilities.h"

// Each capability is a namespace with a function capability(), defined in its folder.
#define CAPABILITY(name)            \
  namespace name {                  \
  billing::Capability capability(); \
  }
#include "appliance/billing/capabilities.inc"
#undef CAPABILITY

namespace billing {

std::vector<Capability> capabilities() {
  return {
#define CAPABILITY(name) ::name::capability(),
#include "appliance/billing/capabilities.inc"
#undef CAPABILITY
  };
}

}  // namespace billing
