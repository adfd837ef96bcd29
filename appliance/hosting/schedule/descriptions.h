// Longer texts about the rows of scheduled prompts, for the OpenAPI document.
#pragma once

namespace schedule::descriptions {

inline constexpr auto create =
    "cronSchedule is `minute hour day-of-month month day-of-week`, separated by spaces or tabs, with a leading field "
    "for seconds if there are six fields, or @hourly, @daily, @weekly, @monthly, @yearly, or @every with minutes, "
    "hours or days (@every 90m), or @at with one local time (@at 2026-12-01T09:00), which must not have passed. "
    "Names, "
    "ranges, steps, lists, L (last day), 5L (last Friday) and 5#2 (second Friday) are supported. If both day fields "
    "are "
    "restricted, either one matches. timezone is an IANA name (default: the box's own). A time skipped by a clock "
    "change runs at the end of the gap; a repeated time runs once, unless the hours are * or a step. catchUp: runs "
    "missed while the box was off are repeated once (`once`) or skipped (`skip`). overlap: a run due while another one "
    "of the task is running is skipped (`skip`) or waits (`queue`, at most ten). 429 with current and limit when the "
    "plan's number of tasks is reached and none of them is a one-time task that has run, which makes room. tellOwner: "
    "each "
    "run's answer, or why it failed, becomes a notice to the owner. model (one of this box's) and reasoningEffort are "
    "those "
    "of its runs; empty or absent: the agent's own.";

inline constexpr auto update =
    "Only the given fields change; an empty description removes it. The next run is computed from now when the "
    "expression or the zone changes, and when the task is enabled.";

inline constexpr auto remove = "With its history. taskId is in the body or, without a body, in the query.";

inline constexpr auto preview = "400 with the reason for an invalid expression or zone.";

inline constexpr auto run =
    "Returns when the run has started; its result appears in the history. Also for disabled tasks. 409 while the task "
    "is "
    "running.";

inline constexpr auto history =
    "The newest 50 are stored. outcome is running, succeeded, failed or skipped (missed while the box was off), "
    "trigger "
    "schedule, makeup or manual. answer is the first 4,000 bytes; the conversation with the agent has the whole text. "
    "overlapped counts the runs skipped because this one was running.";

inline constexpr auto create_agent_task =
    "Like POST /api/scheduled-tasks on the web, which describes the fields. Counts towards the owner's limit of tasks. "
    "An "
    "agent may have made 20, and each runs at most once a minute, unless the administrator has set other limits for "
    "the plan: 400 for a cronSchedule that is more often, 429 with current and limit beyond.";

}  // namespace schedule::descriptions
