#include "appliance/explorer/git/log.h"

#include "appliance/explorer/git/handles.h"
#include "appliance/explorer/git/head.h"

namespace git {

namespace {

constexpr auto doing = "read the history";

}  // namespace

Commit described(const git_commit* commit) {
  Buffer short_id;
  check(git_object_short_id(&short_id, reinterpret_cast<const git_object*>(commit)), doing);
  const auto* author = git_commit_author(commit);
  // Asking for the summary fills a cache in the commit.
  const auto* subject = git_commit_summary(const_cast<git_commit*>(commit));
  return {.hash = text_of(*git_commit_id(commit)),
          .short_hash = short_id.text(),
          .subject = subject ? subject : "",
          .author = author->name,
          .date = std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::seconds(author->when.time))};
}

CommitHandle head(git_repository* repository) {
  git_oid id;
  const int code = git_reference_name_to_id(&id, repository, "HEAD");
  if (code == GIT_ENOTFOUND) return nullptr;
  check(code, "find the newest commit");
  return made<CommitHandle>([&](auto** out) { return git_commit_lookup(out, repository, &id); },
                            "read the newest commit");
}

IndexHandle index_of(git_repository* repository) {
  constexpr auto reading = "read the index";
  auto index = made<IndexHandle>([&](auto** out) { return git_repository_index(out, repository); }, reading);
  check(git_index_read(index.get(), 0), reading);
  return index;
}

std::vector<Commit> log(git_repository* repository, std::size_t limit) {
  std::vector<Commit> commits;
  if (!head(repository)) return commits;
  const auto walk = made<WalkHandle>([&](auto** out) { return git_revwalk_new(out, repository); }, doing);
  // Unsorted for libgit2 is newest first, children before parents, and reads no more history than is asked for.
  check(git_revwalk_sorting(walk.get(), GIT_SORT_NONE), doing);
  check(git_revwalk_push_head(walk.get()), doing);
  git_oid id;
  while (commits.size() < limit) {
    const int code = git_revwalk_next(&id, walk.get());
    if (code == GIT_ITEROVER) break;
    check(code, doing);
    const auto commit = made<CommitHandle>([&](auto** out) { return git_commit_lookup(out, repository, &id); }, doing);
    commits.push_back(described(commit.get()));
  }
  return commits;
}

}  // namespace git
