#include "appliance/files/explorer/git/conversion.h"

#include <sys/stat.h>

#include "appliance/files/explorer/git/handles.h"
#include "web/ascii.h"

namespace git {

namespace {

// nullopt unless the attribute has a string value.
std::optional<std::string> attribute(git_repository* repository, const std::string& path, const char* name) {
  constexpr unsigned where = GIT_ATTR_CHECK_FILE_THEN_INDEX | GIT_ATTR_CHECK_NO_SYSTEM;
  const char* value = nullptr;
  check(git_attr_get(&value, repository, where, path.c_str(), name), "read the attributes");
  if (git_attr_value(value) != GIT_ATTR_VALUE_STRING) return std::nullopt;
  return std::string(value);
}

}  // namespace

std::optional<std::string> missing_conversion(git_repository* repository, const std::string& path) {
  struct stat info {};
  if (::lstat((git_repository_workdir(repository) + path).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  if (const auto filter = attribute(repository, path, "filter")) return "the filter " + *filter;
  const auto encoding = attribute(repository, path, "working-tree-encoding");
  if (!encoding || web::equal_ignoring_case(*encoding, "UTF-8")) return {};
  return "the working-tree-encoding " + *encoding;
}

}  // namespace git
