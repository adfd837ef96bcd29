// A skill as a set of files, whatever they come from: checked, and with its front matter read.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "appliance/agent/skills/skill_file.h"
#include "appliance/billing/usage/money.h"
#include "web/result.h"

namespace skills {

struct PackageFile {
  std::string path;  // within the skill's folder
  std::string content;
};

// box: embedded in the binary. admin: in the data folder.
BOOST_DEFINE_ENUM_CLASS(Source, box, admin)

struct Skill {
  std::string name, description, version, license;
  usage::Money price;  // of one use
  std::vector<agent_process::SkillInput> inputs;
  std::vector<std::string> allowed_tools;  // that the author names; without effect
  std::string compatibility;
  std::string instructions;
  std::vector<PackageFile> files;  // by path; SKILL.md is one of them
  Source source = Source::box;
  bool runs_on_box = false;  // the box itself carries it out, by a row of its own: it is not installed
};
// Of the files' paths and contents, in hex: the same for every archive of the same files.
std::string content_digest(const Skill&);

using SkillPtr = std::shared_ptr<const Skill>;

inline constexpr std::size_t max_files = 64, max_file_bytes = 512 * 1024, max_package_bytes = 2u << 20;

// Kind::invalid, with the file's name: a path that leaves the folder, is reserved (.git, .agentbox) or occurs twice in
// any letter case; too many or too large files; no SKILL.md, or an invalid one; inputs of one name; a price that is not
// a decimal number from 0 to 1,000 with at most 6 decimals.
web::Result<Skill> read_package(std::vector<PackageFile> files, Source);

}  // namespace skills
