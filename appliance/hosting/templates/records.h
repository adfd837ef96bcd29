// Templates of agents: settings, schedules and files, without memory, keys and conversations.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "store/store.h"
#include "store/table.h"

namespace templates {

// A question of the form for creating an agent. {{name}} in instructions, prompts and files is replaced by the answer.
struct Question {
  std::string name, label;
  bool is_required = true;
};
BOOST_DESCRIBE_STRUCT(Question, (), (name, label, is_required))

struct Schedule {
  std::string name, cron_schedule, timezone, prompt;
};
BOOST_DESCRIBE_STRUCT(Schedule, (), (name, cron_schedule, timezone, prompt))

struct Template {
  std::int64_t owner = 0;  // who has published it
  std::string id;          // tp_ and 20 random characters
  std::string name, description;
  std::vector<std::string> groups;  // whose members may use it; empty: all users of the box
  std::string model;
  boost::json::object config;  // the members that templates have
  std::vector<Schedule> schedules;
  std::vector<Question> questions;
  std::vector<std::string> files;  // their paths
  store::Time created_at;
};
BOOST_DESCRIBE_STRUCT(Template, (),
                      (owner, id, name, description, groups, model, config, schedules, questions, files, created_at))

inline const store::Owned<Template> table{{.family = "agent_templates", .number = 228},
                                          &Template::owner,
                                          &Template::id,
                                          {store::unique<Template>(1, "template", &Template::id)}};

struct TemplateFile {
  std::int64_t owner = 0;
  std::string id;  // <template>/<path>
  std::string content;
};
BOOST_DESCRIBE_STRUCT(TemplateFile, (), (owner, id, content))

inline const store::Owned<TemplateFile> files{
    {.family = "template_files", .number = 229}, &TemplateFile::owner, &TemplateFile::id, {}};

}  // namespace templates
