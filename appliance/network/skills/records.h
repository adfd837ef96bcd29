// What is stored about skills: which agents have which, and their uses.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace skills {

struct Installation {
  std::int64_t owner = 0;
  std::string id;  // <agent>.<skill>
  std::string agent, skill;
  std::string version;             // that is in the workspace
  std::vector<std::string> files;  // of it, within the skill's folder
  bool is_complete = false;        // false: the files are being written
  store::Time installed_at;
};
BOOST_DESCRIBE_STRUCT(Installation, (), (owner, id, agent, skill, version, files, is_complete, installed_at))

std::string installation_id(std::string_view agent, std::string_view skill);

inline const store::Owned<Installation> installations{
    {.family = "skill_installations", .number = 86},
    &Installation::owner,
    &Installation::id,
    {store::scoped<Installation>(1, "skill", &Installation::skill),
     store::scoped<Installation>(2, "agent", &Installation::agent),
     {.number = 3, .name = "incomplete", .key = [](const Installation& one) {
        return one.is_complete ? std::nullopt : store::index_value(one.installed_at);
      }}}};

// Where the skill of an installation comes from, if that is not the catalogue.
struct Package {
  std::int64_t owner = 0;
  std::string id;  // the installation's
  std::string agent, skill;
  std::string url;        // empty: a file of the owner's
  std::string digest;     // content_digest of what was installed
  std::string available;  // what `url` has had at the last check; empty: the same as is installed
  std::string problem;    // why the last check failed, as a sentence
  std::optional<store::Time> checked_at, next_check_at;
};
BOOST_DESCRIBE_STRUCT(Package, (),
                      (owner, id, agent, skill, url, digest, available, problem, checked_at, next_check_at))

inline const store::Owned<Package> packages{{.family = "skill_packages", .number = 246},
                                            &Package::owner,
                                            &Package::id,
                                            {store::scoped<Package>(1, "agent", &Package::agent),
                                             store::index<Package>(2, "next_check_at", &Package::next_check_at)}};

// Counter of a user: installations that exist.
inline const store::CounterName installed{"skill_installations"};

BOOST_DEFINE_ENUM_CLASS(Outcome, running, succeeded, failed)

// One use of a skill.
struct Run {
  std::int64_t owner = 0;
  std::string id;  // milliseconds since the epoch, 13 digits, and 8 random characters: in the order of time
  std::string skill, version, agent;
  boost::json::object inputs;
  std::string prompt;
  Outcome outcome = Outcome::running;
  std::string result;  // the first 64 KB of the answer
  std::string error;   // failed: why, in a sentence
  std::string model;
  std::int64_t input_tokens = 0, output_tokens = 0;
  std::int64_t price = 0;  // charged: usage::Money::units
  store::Time started_at;
  std::optional<store::Time> finished_at;
};
BOOST_DESCRIBE_STRUCT(Run, (),
                      (owner, id, skill, version, agent, inputs, prompt, outcome, result, error, model, input_tokens,
                       output_tokens, price, started_at, finished_at))

inline constexpr std::size_t runs_kept = 100;  // for each skill of a user

inline const store::Owned<Run> runs{{.family = "skill_runs", .number = 87},
                                    &Run::owner,
                                    &Run::id,
                                    {store::scoped<Run>(1, "skill", &Run::skill),
                                     {.number = 2, .name = "unfinished", .key = [](const Run& run) {
                                        return run.outcome == Outcome::running ? store::index_value(run.started_at)
                                                                               : std::nullopt;
                                      }}}};

}  // namespace skills
