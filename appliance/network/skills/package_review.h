// What a skill from elsewhere would bring: shown to the user before anything of it is installed.
#pragma once

#include <boost/describe.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "appliance/network/skills/package.h"
#include "appliance/network/skills/views.h"

namespace skills {

// script: a program by its name or its first line. binary: not UTF-8.
BOOST_DEFINE_ENUM_CLASS(FileKind, instructions, text, script, binary)
BOOST_DEFINE_ENUM_CLASS(FileChange, added, changed, unchanged, removed)

struct ReviewedFile {
  std::string path;
  std::int64_t size;
  FileKind kind;
  FileChange change;
};
BOOST_DESCRIBE_STRUCT(ReviewedFile, (), (path, size, kind, change))

struct PackageReview {
  std::string name, description, version;
  std::optional<std::string> license, compatibility;
  std::vector<std::string> allowedTools;
  std::vector<InputItem> inputs;
  std::string instructions;  // Markdown
  std::vector<ReviewedFile> files;
  std::int64_t size;               // of all files
  std::string digest;              // of the content: what an installation names
  std::vector<std::string> hosts;  // named in its texts, at most 50
  bool hasHiddenText;              // characters that no reader sees
  bool isUpdate;                   // the agent, or the catalogue, has a skill of this name
  std::string patch;               // from the files that are there to these, as git diff prints it
  bool isPatchWhole;               // false: it was cut after 512 KB
};
BOOST_DESCRIBE_STRUCT(PackageReview, (),
                      (name, description, version, license, compatibility, allowedTools, inputs, instructions, files,
                       size, digest, hosts, hasHiddenText, isUpdate, patch, isPatchWhole))

using FileContents = std::map<std::string, std::string>;  // by path

// `present`: the files of a skill of this name that are there.
PackageReview review_of(const Skill&, const FileContents& present);

FileKind kind_of(const PackageFile&);

}  // namespace skills
