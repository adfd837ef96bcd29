#pragma once

#include <chrono>
#include <string>
#include <vector>

struct git_repository;

namespace git {

struct Commit {
  std::string hash, short_hash, subject, author;
  std::chrono::sys_time<std::chrono::milliseconds> date;  // when it was written
  std::string encoding;  // what its texts are in, as its author's git named it; empty: UTF-8
};

// At most `limit`, newest first, with texts as they were committed; none when there is no commit yet. Throws Failure.
std::vector<Commit> log(git_repository*, std::size_t limit);

}  // namespace git
