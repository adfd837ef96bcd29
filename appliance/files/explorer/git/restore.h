// Going back to an earlier commit without losing what came after it.
#pragma once

#include <optional>
#include <string>
#include <vector>

struct git_repository;

namespace git {

// The commit that is checked out; nullopt before the first one. Throws Failure, like the functions below.
std::optional<std::string> head_id(git_repository*);

// An empty `commit` is the time before the first one, without files.
//
// The files, tracked or not, that differ from this commit, sorted; at most `limit`.
std::vector<std::string> changed_since(git_repository*, const std::string& commit, std::size_t limit);

// Makes the files what they were in this commit. The head stays, so that the next commit_all records the change. What
// has not been committed is lost, but for ignored files. Runs no hook.
void restore_files(git_repository*, const std::string& commit);

// Writes the files of this commit into a folder outside of the working tree, which must be empty or missing.
void write_files(git_repository*, const std::string& commit, const std::string& folder);

}  // namespace git
