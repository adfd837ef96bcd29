// Conversions that git applies to the content of some files when storing them, and the box does not.
#pragma once

#include <optional>
#include <string>

struct git_repository;

namespace git {

// "the filter lfs": the conversion that a file's attributes require beyond line ends and $Id$, without which its
// content is not what git would store. nullopt if there is none or no such regular file. Throws Failure.
std::optional<std::string> missing_conversion(git_repository*, const std::string& path);

}  // namespace git
