// What git does to the content of some files on its way into the repository, and the box does not.
#pragma once

#include <optional>
#include <string>

struct git_repository;

namespace git {

// "the filter lfs": what the attributes of a file of the working copy ask for beyond line ends and $Id$. Its content as
// it stands is not what git would store. Nothing: the box stores what git would, or there is no such regular file.
// Throws Failure.
std::optional<std::string> missing_conversion(git_repository*, const std::string& path);

}  // namespace git
