// File access under a root: what its capabilities share with other modules, and the capabilities themselves.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

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

  // The path of an agent's workspace; nullopt for an unknown agent. Set once, before anything is served.
  using WorkspaceOf = std::function<std::optional<std::filesystem::path>(std::string_view agent)>;
  void look_up_workspaces_with(WorkspaceOf workspace_of) { workspace_of_ = std::move(workspace_of); }
  std::optional<std::filesystem::path> workspace_of(std::string_view agent) const { return workspace_of_(agent); }

  const agentbox::Platform& platform;
  identity::Module& identity;

 private:
  WorkspaceOf workspace_of_;
  agentbox::RunningCapabilities capabilities_;
};

}  // namespace files
