// Longer texts about the rows of swarms, for the OpenAPI document.
#pragma once

namespace swarms::descriptions {

inline constexpr auto list =
    "Newest first. state is planning, working, joining, done, failed or stopped. spentUsd is what the swarm's agents "
    "have "
    "spent on models since it began, whoever asked for it.";

inline constexpr auto create =
    "agents are 2 to 16 of the caller's own. The orchestrator (default: the agent with role: orchestrator in its "
    "config, "
    "else the first) is asked for a plan: at most 32 tasks, each for one member, some after others. Without a usable "
    "plan, as from the builtin model, every member gets the goal itself. Tasks are sent as chat messages, one at a "
    "time "
    "to each member; then the orchestrator joins the answers, or the box puts them one below the other. maxMinutes is "
    "30 "
    "unless given (at most 1440). maxCostUsd is a decimal text; what the caps leave is the limit if it is less. A "
    "limit "
    "that is reached stops the swarm; its result is then the answers so far. 402 and 429 as for model calls, and 429 "
    "with "
    "current and limit while five swarms are at work or 200 are kept.";

inline constexpr auto show = "As in the list, with the tasks in their order (taskList).";

inline constexpr auto events =
    "Server-sent events: `ready`, then created, planned, task_started, task_done, task_failed, joining, and last done, "
    "failed or stopped, which ends the stream. The id of an event is its number; with Last-Event-ID (or lastEventId) "
    "the "
    "stream goes on after it.";

inline constexpr auto stop =
    "The result is then the answers so far. Agents at work are not interrupted. 409 if it is finished.";

inline constexpr auto remove = "With its tasks and events; the agents' conversations stay. 409 unless it is finished.";

}  // namespace swarms::descriptions
