// The longer texts of the OpenAPI document for the rows of routes.cpp.
#pragma once

namespace agents::descriptions {

inline constexpr auto patch =
    "Only the given fields change. `config` is merged into the agent's: members that are null are removed, others are "
    "replaced whole (systemPrompt, tools, temperature, topP, maxTokens, mcpServers, ...). Model and config apply from "
    "the next start on: `restartNeeded` is true if the agent runs with the old ones. The addresses stay when the name "
    "changes.";

inline constexpr auto list =
    "In the order of their creation, the oldest first, or by `sort`: created or name, with `order` asc or desc. Agents "
    "of one name follow each other by id. With `limit` (at most 1,000) `next` is the `cursor` of the following page, "
    "or "
    "null; without it the list is complete. A key that is limited to agents sees only those.";

inline constexpr auto open = "Redirects to the agent's own host with a single-use ticket for that host's cookie.";

inline constexpr auto instance =
    "`health` is healthy while the gateway answers, starting while it does not, stopped without a process, and "
    "unhealthy if the process is paused or cannot be inspected; `container` is unknown then, and statusReason gives "
    "the reason.";

inline constexpr auto list_all = "All agents, or those of the owner `userId`; with `limit` only the first of them.";

inline constexpr auto create =
    "The agent is `pending` until it is started. `userId` is its owner; without it the agent belongs to the box.";

inline constexpr auto lifecycle =
    "Answers when it is done; 409 if another request asked for the opposite meanwhile. If the path holds the caller's "
    "own id, `agentId` selects one of several agents.";

inline constexpr auto repair =
    "Begins the watchdog's repair: the agent's process is killed, started five seconds later, and checked thirty "
    "seconds after that. Answers at once; the agent's `watchdog` shows the progress. An agent that is not running is "
    "started this way. 409 while the agent has another job; 500 with the reason while the engine does not answer.";

inline constexpr auto update =
    "Restarts the agent in the same workspace: as a container from the current version of `image` (default: the box's "
    "AGENT_IMAGE), as a process from the box's current program. If that does not get ready, what ran before is brought "
    "back, and the answer is 500 with the reason, which is also in `statusReason`. Only administrators may set "
    "`image`. An agent that is not running is started.";

inline constexpr auto reset_memory =
    "Removes the agent's conversation and the facts it has kept; its files and the history of messages stay. A running "
    "agent is restarted.";

inline constexpr auto config =
    "Keys, tokens, secrets and passwords in it are stored encrypted and shown as {\"sealed\": true}.";

inline constexpr auto token =
    "Callers of the agent's own address present it as a bearer token. It is replaced when all sessions of the agent's "
    "owner end (a new password, signing out everywhere).";

inline constexpr auto rotate_token =
    "The old token is refused at once. A running agent restarts with the new one: `status` is provisioning until it "
    "is ready.";

inline constexpr auto stats =
    "Processor time in percent of one core since the last call. All zero for an agent that is not running, and with "
    "`status` mock while the engine does not answer. `network` only if the engine counts it.";

}  // namespace agents::descriptions
