// The system prompt: who the agent is, when it is, what its owner asks of it, and what it has.
#pragma once

#include <string>
#include <string_view>

#include "appliance/agent/turn_events.h"
#include "appliance/agent/workspace.h"
#include "appliance/runtime/agent_profile.h"

namespace agent_process {

// The owner's text of the prompt, in the workspace. The agent's tools can read it, but not change it.
inline constexpr std::string_view owner_prompt_file = "AGENT.md";
inline constexpr std::size_t max_owner_prompt_bytes = 16 * 1024;

// The parts that are in the workspace.
struct WorkspaceFacts {
  std::string owner_prompt;  // AGENT.md; at most max_owner_prompt_bytes, with a note if it is cut
  std::string files;         // a short listing: two levels, at most 60 lines
  std::string skills;        // skills_prompt()
};
// Blocks.
WorkspaceFacts read_workspace_facts(const Workspace&);

struct PromptFacts {
  std::string agent_name;  // empty: "an agent"
  std::string time;        // "Tuesday, 2026-12-01T09:00:00+01:00 (Europe/Berlin)"; empty: unknown
  std::string channel;     // console, mail, schedule, ...; empty: unknown
  runtime::AgentProfile profile;
  WorkspaceFacts workspace;             // empty for peers
  std::string blocks, memory, summary;  // the owner's or the peer's; the summary is of the earlier conversation
  bool is_last_round = false;           // no tools are offered any more
};

std::string system_prompt(const PromptFacts&, Audience);

}  // namespace agent_process
