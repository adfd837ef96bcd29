// How an agent answers: the part of its config that the agent itself reads, and its specialization if it was cloned.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/routes/fields.h"

namespace runtime {

// Headers of a request to an agent's gateway. `agentbox-audience`: for whom the turn is. Without it, it is for the
// agent's owner. Any value other than "owner" is a peer: a caller who gets no conversation, memory, files or tools of
// the owner; "public" is a peer whom nobody knows, for whom there is also no memory. `agentbox-conversation`: the name
// of the conversation; without it, the owner's first one. `agentbox-peer`: the name of the peer's memory. Names are 1
// to 64 letters, digits, '-' and '_'. `agentbox-wait-class`: who waits for the turn, a models::WaitClass by name, which
// the agent passes on with its requests to models; without it, a person.
inline constexpr std::string_view audience_header = "agentbox-audience", audience_owner = "owner",
                                  audience_public = "public", conversation_header = "agentbox-conversation",
                                  peer_header = "agentbox-peer", wait_class_header = "agentbox-wait-class";
// Of a turn: `agentbox-channel` is where it comes from (console, mail, ...), `agentbox-model` and
// `agentbox-reasoning-effort` replace those of the agent, and with `agentbox-unguarded` the owner allows what the
// agent's guard would stop. `agentbox-message` is the box's
// id of the message, with `agentbox-begin` the conversation begins again from the messages before it. With
// `agentbox-title` the agent writes a title for the conversation after the turn.
inline constexpr std::string_view channel_header = "agentbox-channel", model_header = "agentbox-model",
                                  effort_header = "agentbox-reasoning-effort", unguarded_header = "agentbox-unguarded",
                                  title_header = "agentbox-title", message_header = "agentbox-message",
                                  begin_header = "agentbox-begin";

// In AgentProfile::peer_tools: all tools of the owner's MCP servers.
inline constexpr std::string_view mcp_tools_name = "mcp";

using Instructions = web::Prose<0, 16'000>;

// Empty members are left to the agent or the model.
struct AgentProfile {
  Instructions instructions;  // appended to the system prompt
  std::optional<double> temperature, top_p;
  std::optional<std::int64_t> max_tokens;         // per answer of the model
  std::optional<std::vector<std::string>> tools;  // names of allowed tools; nullopt: all
  // Names of the owner's tools that peers may use, and mcp_tools_name; peers' own files and memory need none.
  std::optional<std::vector<std::string>> peer_tools;
  std::optional<std::vector<std::string>> public_tools;  // likewise, for callers whom nobody knows
  std::optional<std::string> specialization;             // a word: booking, support
  std::optional<std::string> owner_name;
  std::optional<std::string> reasoning_effort;        // as the model's server names it: low, medium, high
  std::optional<std::int64_t> max_rounds;             // model calls in a turn; the last one sums up
  std::optional<std::int64_t> max_turn_tokens;        // of a turn: when they are used up, the next call is the last
  std::optional<std::int64_t> max_turn_seconds;       // likewise
  std::optional<std::string> embedding_model;         // finds remembered facts by their meaning
  std::optional<std::string> helper_model;            // writes summaries and titles; nullopt: the agent's own
  std::optional<std::int64_t> max_tokens_per_minute;  // of all turns; beyond, the guard stops the turn
};
BOOST_DESCRIBE_STRUCT(AgentProfile, (),
                      (instructions, temperature, top_p, max_tokens, tools, peer_tools, public_tools, specialization,
                       owner_name, reasoning_effort, max_rounds, max_turn_tokens, max_turn_seconds, embedding_model,
                       helper_model, max_tokens_per_minute))

}  // namespace runtime
