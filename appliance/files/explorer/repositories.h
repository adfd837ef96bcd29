// The git repository of a place: status, diffs, history, commit and push.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "appliance/files/explorer/git/commit.h"
#include "appliance/files/explorer/git/log.h"
#include "appliance/files/explorer/git/repository_pool.h"
#include "appliance/files/explorer/git/show.h"
#include "appliance/files/explorer/git/status.h"
#include "appliance/files/explorer/place.h"
#include "appliance/files/explorer/remotes.h"
#include "web/result.h"

namespace explorer {

inline constexpr std::size_t max_diff_bytes = 4u << 20, max_changes = 10'000;

struct Status {
  std::string branch;                 // HEAD when no branch is checked out
  std::optional<std::string> remote;  // its URL, without credentials
  git::Changes changes;               // the first max_changes
};

struct Diffs {
  std::string unstaged, staged;  // patches; empty: no difference
};

struct CommitResult {
  std::optional<std::string> hash;    // of the new commit; nullopt: nothing has changed
  std::optional<std::string> branch;  // nullopt when no branch is checked out
};

struct SyncResult {
  std::optional<std::string> hash;  // of the new commit
  bool is_pushed = false;
  std::string message;  // what was done, or why the push failed
};

// The error's code for a folder without a repository.
inline constexpr std::string_view no_repository = "NO_REPOSITORY";
inline constexpr std::string_view unsupported_repository = "UNSUPPORTED_REPOSITORY";

// Thread-safe; everything blocks. A folder without a repository, a broken repository and one that is not trusted are
// Kind::internal with the reason, in which paths of a workspace begin at the workspace; a repository that another
// process is changing is Kind::conflict.
class Repositories {
 public:
  Repositories(git::Identity author, FindCredential, std::chrono::milliseconds remote_time);

  // nullopt: the folder is not a repository.
  web::Result<std::optional<Status>> status(const Place&) const;
  // Of one file or folder, or of everything. Kind::invalid for a path that leads outside, and when one of the two
  // patches is larger than max_diff_bytes.
  web::Result<Diffs> diff(const Place&, std::string_view path) const;
  // Newest first, converted to UTF-8 if the commit names its encoding.
  web::Result<std::vector<git::Commit>> log(const Place&, std::size_t limit) const;
  // One commit, or its changes to the file or folder `path`. Kind::not_found when `revision` is not a commit; other
  // errors as for diff.
  web::Result<git::ShownCommit> show(const Place&, const std::string& revision, std::string_view path) const;
  // Stages and commits everything, then pushes the branch to its remote, if there is one, within the remote time. A
  // blank message becomes "sync changes". Kind::conflict while another sync of this place is running. Without changes
  // nothing is committed or pushed; the message mentions commits that are not pushed yet.
  web::Result<SyncResult> sync(const Place&, const std::string& message);
  // Stages and commits everything that is not ignored. Kind::conflict while a commit or sync of this place is running.
  web::Result<CommitResult> commit(const Place&, const std::string& message, const git::Identity& author);
  // Cancels running and future pushes.
  void cancel_remotes() { is_cancelled_ = true; }

 private:
  class SyncLock;
  template <class Use>
  auto with_repository(const Place&, Use, const std::optional<std::filesystem::path>& remote = std::nullopt) const
      -> web::Result<std::invoke_result_t<Use, git_repository*>>;
  struct Committed;
  web::Result<Committed> commit_all(const Place&, const std::string& message, const git::Identity& author) const;
  static std::string no_changes_message(const Committed&);
  std::optional<std::string> push(const Place&, const Committed&) const;

  mutable git::RepositoryPool pool_;
  const git::Identity author_;
  const FindCredential find_credential_;
  const std::chrono::milliseconds remote_time_;
  std::atomic<bool> is_cancelled_ = false;
  std::mutex mutex_;  // protects syncing_
  std::set<std::filesystem::path> syncing_;
};

}  // namespace explorer
