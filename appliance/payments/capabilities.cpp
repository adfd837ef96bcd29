#include "appliance/payments/capabilities.h"

// Each capability is a namespace with a function capability(), defined in its folder.
#define CAPABILITY(name)             \
  namespace name {                   \
  payments::Capability capability(); \
  }
#include "appliance/payments/capabilities.inc"
#undef CAPABILITY

namespace payments {

std::vector<Capability> capabilities() {
  return {
#define CAPABILITY(name) ::name::capability(),
#include "appliance/payments/capabilities.inc"
#undef CAPABILITY
  };
}

}  // namespace payments
