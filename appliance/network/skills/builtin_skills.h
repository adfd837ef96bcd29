// The files of the skills in builtin/, embedded at build time (cmake/embed_skills.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace skills {

struct BuiltinFile {
  std::string_view skill, path, content;
};
const std::vector<BuiltinFile>& builtin_files();

}  // namespace skills
