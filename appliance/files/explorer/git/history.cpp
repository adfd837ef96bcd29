#include "appliance/files/explorer/git/history.h"

#include <utility>

namespace git {

History::History(git_repository* repository, CommitHandle newest) : repository_(repository), shallow_(repository) {
  if (newest) add(std::move(newest));
}

CommitHandle History::next() {
  for (const auto& parent : std::exchange(parents_, {})) {
    if (seen_.contains(text_of(parent))) continue;
    add(made<CommitHandle>([&](auto** out) { return git_commit_lookup(out, repository_, &parent); },
                           "read the history"));
  }
  if (waiting_.empty()) return nullptr;
  auto commit = std::move(waiting_.extract(waiting_.begin()).mapped());
  parents_ = shallow_.parents_of(commit.get());
  return commit;
}

void History::add(CommitHandle commit) {
  seen_.insert(text_of(*git_commit_id(commit.get())));
  const auto time = git_commit_time(commit.get());
  waiting_.emplace(time, std::move(commit));
}

}  // namespace git
