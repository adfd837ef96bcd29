#include "appliance/box/capabilities.h"

// Each capability is a namespace with a function capability(), defined in its folder.
#define CAPABILITY(name)        \
  namespace name {              \
  box::Capability capability(); \
  }
#include "appliance/box/capabilities.inc"
#undef CAPABILITY

namespace box {

std::vector<Capability> capabilities() {
  return {
#define CAPABILITY(name) ::name::capability(),
#include "appliance/box/capabilities.inc"
#undef CAPABILITY
  };
}

}  // namespace box
