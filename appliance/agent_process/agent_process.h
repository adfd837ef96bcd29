// `agentbox agent`: one agent as a process of its own. A small gateway in front, a tool-using loop against the box's
// models behind it, a git repository as its workspace. It opens no store and holds no secret but its two tokens.
#pragma once

#include <filesystem>

namespace agent_process {

// Runs the agent the boot file describes (runtime::Boot as JSON; left in place) until SIGTERM or SIGINT, then lets
// running turns finish for at most ten seconds. Returns the exit code: 0 after a signal, 2 when it cannot start, with
// one line on stderr that says why.
int run(const std::filesystem::path& boot);

}  // namespace agent_process
