// The texts that a swarm is made of: the prompts of its agents, and their answers. Without a store or a clock.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/agents/records.h"
#include "appliance/network/swarms/records.h"

namespace swarms {

// The request for a plan, to the orchestrator.
std::string planning_message(const Swarm&, const std::vector<agents::Agent>& members);
// The tasks of an orchestrator's answer, a JSON object {tasks: [{agent, task, after?}]} with any text around it. Agents
// are named by id or by name. Nothing if it is no such plan, names somebody else, or has a task after a later one.
std::optional<std::vector<Task>> plan_in(std::string_view answer, const Swarm&,
                                         const std::vector<agents::Agent>& members);
// Each member gets the goal.
std::vector<Task> plan_of_the_box(const Swarm&);

// The prompt of the agent of a task. The goal itself if the box has planned.
std::string task_message(const Swarm&, const Task&, const std::vector<Task>& all);

// The request to join the answers, to the orchestrator.
std::string joining_message(const Swarm&, const std::vector<Task>&, const std::vector<agents::Agent>& members);
// The answers one below the other under the names of their agents, in Markdown.
std::string joined(const std::vector<Task>&, const std::vector<agents::Agent>& members);

}  // namespace swarms
