// `agentbox agent`: one agent as a process of its own. A small gateway in front, a tool-using loop against the box's
// models behind it, a git repository as its workspace. It opens no store and has no secrets except its two tokens.
#pragma once

#include <filesystem>

namespace agent_process {

// Runs the agent the boot file describes (runtime::Boot as JSON; left in place) until SIGTERM or SIGINT, then waits for
// running turns, at most ten seconds. Returns the exit code: 0 after a signal, 2 when it cannot start, with
// one line on stderr that says why.
int run(const std::filesystem::path& boot);

// Path of the boot file in a container.
inline constexpr auto boot_file_in_container = "/run/agentbox/boot.json";
// The health check of a container: 0 if the agent responds on port 18789, else 1 with a line on stderr.
int check();

}  // namespace agent_process
