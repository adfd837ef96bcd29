// File access under a root: what its capabilities share with other modules, and the capabilities themselves.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "appliance/files/capabilities.h"
#include "appliance/identity/module.h"

namespace files {

class Module {
 public:
  // Both must outlive this.
  Module(const agentbox::Platform&, identity::Module&);

  agentbox::Rows rows() { return capabilities_.rows(identity.guards); }
  web::Task<> start() { return capabilities_.start(); }
  web::Task<> stop() { return capabilities_.stop(); }

  // The path of an agent's workspace; nullopt for an unknown agent.
  std::optional<std::filesystem::path> workspace_of(std::string_view agent) const;

  const agentbox::Platform& platform;
  identity::Module& identity;

 private:
  agentbox::RunningCapabilities capabilities_;
};

}  // namespace files
