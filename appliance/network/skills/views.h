// Skills in answers of routes.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/network/skills/package.h"
#include "appliance/network/skills/records.h"

namespace skills {

struct InputItem {
  std::string name;
  std::optional<std::string> description;
  bool required;
};
BOOST_DESCRIBE_STRUCT(InputItem, (), (name, description, required))

struct SkillItem {
  std::string name, description, version;
  std::string price;  // US dollars for a use
  std::optional<std::string> license;
  Source source;
  bool runsOnBox;  // it is used without an agent, and not installed
  std::vector<InputItem> inputs;
  std::vector<std::string> installedFor;  // agents of the caller
};
BOOST_DESCRIBE_STRUCT(SkillItem, (),
                      (name, description, version, price, license, source, runsOnBox, inputs, installedFor))

struct SkillList {
  std::vector<SkillItem> skills;
  std::int64_t count = 0;
  std::int64_t installed = 0;         // of the caller, over all agents
  std::optional<std::int64_t> limit;  // of the plan; null: none, or no plan
};
BOOST_DESCRIBE_STRUCT(SkillList, (), (skills, count, installed, limit))

struct InstallationItem {
  std::string skill, agentId, version;
  bool isCurrent;  // the catalogue has no other version
  store::Time installedAt;
};
BOOST_DESCRIBE_STRUCT(InstallationItem, (), (skill, agentId, version, isCurrent, installedAt))

struct FileItem {
  std::string path;
  std::int64_t size;
};
BOOST_DESCRIBE_STRUCT(FileItem, (), (path, size))

struct SkillDetail : SkillItem {
  std::string instructions;  // Markdown
  std::vector<FileItem> files;
  std::vector<InstallationItem> installations;
};
BOOST_DESCRIBE_STRUCT(SkillDetail, (SkillItem), (instructions, files, installations))

struct RunItem {
  std::string id, skill, version, agentId;
  boost::json::object inputs;
  std::optional<std::string> prompt;
  Outcome outcome;
  std::optional<std::string> result, error, model;
  std::int64_t inputTokens, outputTokens;
  std::string price;
  store::Time startedAt;
  std::optional<store::Time> finishedAt;
  std::optional<std::int64_t> durationMs;
};
BOOST_DESCRIBE_STRUCT(RunItem, (),
                      (id, skill, version, agentId, inputs, prompt, outcome, result, error, model, inputTokens,
                       outputTokens, price, startedAt, finishedAt, durationMs))

struct RunList {
  std::vector<RunItem> runs;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(RunList, (), (runs, count))

std::vector<InputItem> items_of(const std::vector<agent_process::SkillInput>&);
SkillItem view(const Skill&, const std::vector<Installation>& of_the_caller);
SkillDetail detail(const Skill&, const std::vector<Installation>& of_the_caller);
// `current`: the catalogue's; null if it no longer has the skill.
InstallationItem view(Installation, const Skill* current);
RunItem view(Run);

}  // namespace skills
