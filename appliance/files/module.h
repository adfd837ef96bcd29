// The file explorer and the box's accounts at git hosts: the parts of the module, built in order.
#pragma once

#include "appliance/files/explorer/explorer.h"
#include "appliance/files/explorer/git_hosts.h"
#include "appliance/identity/module.h"

namespace files {

class Module {
 public:
  // The path of an agent's workspace; nullopt for an unknown agent.
  using WorkspaceOf = std::function<std::optional<std::filesystem::path>(std::string_view agent)>;
  Module(const agentbox::Platform&, identity::Module&, WorkspaceOf);

  agentbox::Rows rows();

 private:
  identity::Module& identity_;
  explorer::GitHosts git_hosts_;
  explorer::Explorer explorer_;
};

}  // namespace files
