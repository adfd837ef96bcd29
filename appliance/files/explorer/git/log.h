#pragma once

#include <chrono>
#include <string>
#include <vector>

struct git_repository;

namespace git {

struct Commit {
  std::string hash, short_hash, subject, author;
  std::chrono::sys_time<std::chrono::milliseconds> date;  // author date
  std::string encoding;                                   // of its texts, as named in the commit; empty: UTF-8
};

// At most `limit`, newest first, with texts in their original encoding; empty without commits. Throws Failure.
std::vector<Commit> log(git_repository*, std::size_t limit);

}  // namespace git
