// The repository of a place: what changed, what was committed, and sending it away.
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

inline constexpr std::size_t most_diff_bytes = 4u << 20, most_changes = 10'000;

struct Status {
  std::string branch;                 // HEAD when none is checked out
  std::optional<std::string> remote;  // its URL, without credentials
  git::Changes changes;               // the first most_changes
};

struct Diffs {
  std::string unstaged, staged;  // patches; empty: nothing differs
};

struct Synced {
  std::optional<std::string> hash;  // of the commit that was made
  bool is_pushed = false;
  std::string message;  // what was done, or why the push was not
};

// Everything blocks, and is callable from every thread. A folder that is no repository, a broken one and one that is
// not trusted are Kind::internal with the reason; one that somebody else is changing just now is Kind::conflict.
class Repositories {
 public:
  Repositories(git::Identity author, FindCredential, std::chrono::milliseconds remote_time);

  // Nothing: the folder is no repository.
  web::Result<std::optional<Status>> status(const Place&) const;
  // Of one file or folder, or of everything. Kind::invalid for a path that leads out, and when one of the two patches
  // is larger than most_diff_bytes.
  web::Result<Diffs> diff(const Place&, std::string_view path) const;
  // Newest first, in UTF-8 where a commit says what it is in.
  web::Result<std::vector<git::Commit>> log(const Place&, std::size_t limit) const;
  // One commit, or what it did to the file or folder `path`. Kind::not_found when `revision` is no commit; else as
  // diff.
  web::Result<git::ShownCommit> show(const Place&, const std::string& revision, std::string_view path) const;
  // Stages and commits everything, then pushes the branch to its remote, if there is one, for no longer than the remote
  // time. A message without a word in it is "sync changes". Kind::conflict while another sync of this place is running.
  // Without changes nothing is done, pushing neither; what is not pushed yet is told.
  web::Result<Synced> sync(const Place&, const std::string& message);
  // Ends what waits for a remote, now and from now on.
  void give_up() { is_given_up_ = true; }

 private:
  class Turn;
  template <class Use>
  auto look(const Place&, Use, const std::optional<std::filesystem::path>& remote = std::nullopt) const
      -> web::Result<std::invoke_result_t<Use, git_repository*>>;
  struct Committed;
  web::Result<Committed> commit(const Place&, const std::string& message) const;
  static std::string told_of_nothing(const Committed&);
  std::optional<std::string> push(const Place&, const Committed&) const;

  mutable git::RepositoryPool pool_;
  const git::Identity author_;
  const FindCredential find_credential_;
  const std::chrono::milliseconds remote_time_;
  std::atomic<bool> is_given_up_ = false;
  std::mutex mutex_;  // protects syncing_
  std::set<std::filesystem::path> syncing_;
};

}  // namespace explorer
