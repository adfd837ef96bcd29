#include "appliance/foundation/version.h"

namespace agentbox {

const char* const version = AGENTBOX_VERSION;

}  // namespace agentbox
