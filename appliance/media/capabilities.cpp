#include "appliance/media/capabilities.h"

// Each capability is a namespace with a function capability(), defined in its folder.
#define CAPABILITY(name)          \
  namespace name {                \
  media::Capability capability(); \
  }
#include "appliance/media/capabilities.inc"
#undef CAPABILITY

namespace media {

std::vector<Capability> capabilities() {
  return {
#define CAPABILITY(name) ::name::capability(),
#include "appliance/media/capabilities.inc"
#undef CAPABILITY
  };
}

}  // namespace media
