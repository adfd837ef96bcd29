#include "appliance/files/module.h"

namespace files {

Module::Module(const agentbox::Platform& given_platform, identity::Module& given_identity)
    : platform(given_platform), identity(given_identity), capabilities_(files::capabilities(), *this) {}

std::optional<std::filesystem::path> Module::workspace_of(std::string_view agent) const {
  if (!identity.agents.exists(agent)) return std::nullopt;
  return platform.folder.workspace(agent);
}

}  // namespace files
