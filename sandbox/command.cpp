#include "sandbox/command.h"

#include <unistd.h>

namespace sandbox {

namespace {

// Names in the workspace that belong to the agent's own program (appliance/agent/workspace_path.h): its state, and the
// instructions that only the owner changes.
const std::vector<std::string> hidden_names{".agentbox"}, protected_names{"skills", "AGENT.md"};

}  // namespace

CommandParts command_plan(const CommandPlan& wanted) {
  const auto user = ::geteuid() == 0 ? wanted.user : ::geteuid();
  auto tree = system_tree(wanted.top.string(), user);
  tree.parts.push_back({.path = command_workspace,
                        .source = wanted.workspace.string(),
                        .mount = wanted.workspace_mount,
                        .is_writable = true});
  if (!wanted.packages.empty() || wanted.packages_mount >= 0)
    tree.parts.push_back(
        {.path = command_packages, .source = wanted.packages.string(), .mount = wanted.packages_mount});
  tree.hidden = hidden_names;
  tree.protected_names = protected_names;
  tree.temporary_bytes = wanted.temporary_bytes;
  return {.program = {.binary = "/bin/sh",
                      .arguments = {"sh", "/dev/fd/3"},
                      .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8", "USER=agent",
                                      "LOGNAME=agent", "TMPDIR=/tmp", "SHELL=/bin/sh"},
                      .folder = command_workspace,
                      .output = wanted.output,
                      .error = wanted.error,
                      .input = wanted.input,
                      .inherited = {wanted.text}},
          .place = {.user = wanted.user,
                    .namespaces = Namespaces{.hidden = {},
                                             .visible = {},
                                             .tree = std::move(tree),
                                             .network = OwnNetwork{.channel = wanted.channel}},
                    .files = {},
                    .tcp = {},
                    .calls = SystemCalls{.sockets = Sockets::local, .listens = true, .finds_leaks = false},
                    .limits = wanted.limits,
                    .ends_with_parent = true}};
}

std::string why_no_commands() {
  const auto& found = kernel();
  if (!found.namespaces) return "namespaces are not permitted";
  if (!found.own_processes) return "a view of the own processes alone is not permitted";
  if (!found.own_network) return "networks of their own are not permitted";
  return {};
}

}  // namespace sandbox
