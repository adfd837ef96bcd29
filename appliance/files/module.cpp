#include "appliance/files/module.h"

namespace files {

Module::Module(const agentbox::Platform& given_platform, identity::Module& given_identity)
    : platform(given_platform), identity(given_identity), capabilities_(files::capabilities(), *this) {}

}  // namespace files
