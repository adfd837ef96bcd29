#include "appliance/files/capabilities.h"

// Each capability is a namespace with a function capability(), defined in its folder.
#define CAPABILITY(name)          \
  namespace name {                \
  files::Capability capability(); \
  }
#include "appliance/files/capabilities.inc"
#undef CAPABILITY

namespace files {

std::vector<Capability> capabilities() {
  return {
#define CAPABILITY(name) ::name::capability(),
#include "appliance/files/capabilities.inc"
#undef CAPABILITY
  };
}

}  // namespace files
