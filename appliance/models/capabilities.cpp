#include "appliance/models/capabilities.h"

// Each capability is a namespace with a function capability(), defined in its folder.
#define CAPABILITY(name)           \
  namespace name {                 \
  models::Capability capability(); \
  }
#include "appliance/models/capabilities.inc"
#undef CAPABILITY

namespace models {

std::vector<Capability> capabilities() {
  return {
#define CAPABILITY(name) ::name::capability(),
#include "appliance/models/capabilities.inc"
#undef CAPABILITY
  };
}

}  // namespace models
