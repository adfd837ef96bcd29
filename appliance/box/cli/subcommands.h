// The groups of subcommands. Each function adds its commands, of which the chosen one sets `run`.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

// `status`, `agents`, `keys`, `usage` and `caps` of the running box.
void add_overview(CLI::App& app, std::function<int()>& run);
// `logs AGENT [-f]`: what an agent writes.
void add_logs(CLI::App& app, std::function<int()>& run);
// `channels`: the messaging channels of a user's own agents.
void add_own_channels(CLI::App& app, std::function<int()>& run);
// `catalogue update`.
void add_catalogue(CLI::App&, std::function<int()>& run);
// `mcp load`, `list` and `remove`: packages with servers of tools for agents.
void add_mcp_packages(CLI::App&, std::function<int()>& run);
// `setup`: asks on a terminal, and takes everything by flags elsewhere.
void add_setup(CLI::App&, std::function<int()>& run);
// `standby-invite`, `standby` and `promote`.
void add_standby(CLI::App&, std::function<int()>& run);
// `store init`: roles and schema of a store in PostgreSQL; `migrate-store` moves a store there and back.
void add_store(CLI::App&, std::function<int()>& run);
void add_migrate_store(CLI::App&, std::function<int()>& run);
// `pack` carries a box in one file; `unpack` makes a data folder of it.
void add_pack(CLI::App&, std::function<int()>& run);
void add_unpack(CLI::App&, std::function<int()>& run);
// `admin` with all that follows.
void add_admin(CLI::App& app, std::function<int()>& run);

// Under `admin`: they act on the running box, except for rotate-master-key.

// `agent export` and `import`.
void add_agent_transfer(CLI::App& admin, std::function<int()>& run);
void add_audit(CLI::App& admin, std::function<int()>& run);
// `invoice` and `credits`.
void add_billing(CLI::App& admin, std::function<int()>& run);
// The messaging channels of all agents, and which kinds are allowed.
void add_channels(CLI::App& admin, std::function<int()>& run);
// The box's accounts at git hosts.
void add_git_hosts(CLI::App& admin, std::function<int()>& run);
void add_invites(CLI::App& admin, std::function<int()>& run);
// Replaces the master key of a stopped box.
void add_rotate_master_key(CLI::App& admin, std::function<int()>& run);
// The providers, and what was found on this machine.
void add_models(CLI::App& admin, std::function<int()>& run);
void add_operator_keys(CLI::App& admin, std::function<int()>& run);

}  // namespace agentbox::cli
