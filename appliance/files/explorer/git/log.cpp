#include "appliance/files/explorer/git/log.h"

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/head.h"
#include "appliance/files/explorer/git/history.h"

namespace git {

namespace {

constexpr auto log_action = "read the history";

}  // namespace

Commit described(const git_commit* commit) {
  Buffer short_id;
  check(git_object_short_id(&short_id, reinterpret_cast<const git_object*>(commit)), log_action);
  const auto* author = git_commit_author(commit);
  // git_commit_summary fills a cache in the commit.
  const auto* subject = git_commit_summary(const_cast<git_commit*>(commit));
  const auto* encoding = git_commit_message_encoding(commit);
  return {.hash = text_of(*git_commit_id(commit)),
          .short_hash = short_id.text(),
          .subject = subject ? subject : "",
          .author = author->name,
          .date = std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::seconds(author->when.time)),
          .encoding = encoding ? encoding : ""};
}

std::vector<Commit> log(git_repository* repository, std::size_t limit) {
  std::vector<Commit> commits;
  History history(repository, head(repository));
  while (commits.size() < limit) {
    const auto commit = history.next();
    if (!commit) break;
    commits.push_back(described(commit.get()));
  }
  return commits;
}

}  // namespace git
