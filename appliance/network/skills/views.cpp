#include "appliance/network/skills/views.h"

namespace skills {

namespace {

std::optional<std::string> unless_empty(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

}  // namespace

std::vector<InputItem> items_of(const std::vector<agent_process::SkillInput>& inputs) {
  std::vector<InputItem> items;
  for (const auto& input : inputs)
    items.push_back({.name = input.name,
                     .description = input.description ? std::optional<std::string>(*input.description) : std::nullopt,
                     .required = input.required.value_or(false)});
  return items;
}

SkillItem view(const Skill& skill, const std::vector<Installation>& of_the_caller) {
  SkillItem item{.name = skill.name,
                 .description = skill.description,
                 .version = skill.version,
                 .price = skill.price.to_string(),
                 .license = unless_empty(skill.license),
                 .source = skill.source,
                 .runsOnBox = skill.runs_on_box,
                 .inputs = items_of(skill.inputs),
                 .installedFor = {}};
  for (const auto& one : of_the_caller)
    if (one.skill == skill.name) item.installedFor.push_back(one.agent);
  return item;
}

SkillDetail detail(const Skill& skill, const std::vector<Installation>& of_the_caller) {
  SkillDetail answer;
  static_cast<SkillItem&>(answer) = view(skill, of_the_caller);
  answer.instructions = skill.instructions;
  for (const auto& file : skill.files) answer.files.push_back({file.path, std::int64_t(file.content.size())});
  for (const auto& one : of_the_caller)
    if (one.skill == skill.name) answer.installations.push_back(view(one, &skill));
  return answer;
}

InstallationItem view(Installation one, const Skill* current) {
  const bool is_current = one.is_complete && current && current->version == one.version;
  return {.skill = std::move(one.skill),
          .agentId = std::move(one.agent),
          .version = std::move(one.version),
          .isCurrent = is_current,
          .installedAt = one.installed_at};
}

RunItem view(Run run) {
  RunItem item{.id = std::move(run.id),
               .skill = std::move(run.skill),
               .version = std::move(run.version),
               .agentId = std::move(run.agent),
               .inputs = std::move(run.inputs),
               .prompt = unless_empty(std::move(run.prompt)),
               .outcome = run.outcome,
               .result = {},
               .error = unless_empty(std::move(run.error)),
               .model = unless_empty(std::move(run.model)),
               .inputTokens = run.input_tokens,
               .outputTokens = run.output_tokens,
               .price = usage::Money::of_units(run.price).to_string(),
               .startedAt = run.started_at,
               .finishedAt = run.finished_at,
               .durationMs = {}};
  if (run.outcome == Outcome::succeeded) item.result = std::move(run.result);
  if (run.finished_at) item.durationMs = (*run.finished_at - run.started_at).count();
  return item;
}

}  // namespace skills
