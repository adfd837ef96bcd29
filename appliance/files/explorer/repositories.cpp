#include "appliance/files/explorer/repositories.h"

#include <system_error>

#include "appliance/files/explorer/browse.h"
#include "appliance/files/explorer/confinement.h"
#include "appliance/files/explorer/git/diff.h"
#include "appliance/files/explorer/git/failure.h"
#include "appliance/files/explorer/git/library.h"
#include "appliance/files/explorer/git/recode.h"
#include "appliance/files/explorer/git/repository.h"
#include "appliance/files/explorer/git/settings.h"
#include "appliance/files/explorer/git/unpushed.h"

namespace explorer {

namespace {

namespace fs = std::filesystem;

bool has_words(std::string_view message) { return message.find_first_not_of(" \t\r\n\v\f") != std::string_view::npos; }

void require(git_repository* repository) {
  if (!repository) throw git::Failure("This folder is not a git repository", git::Failure::Cause::missing);
}

// An agent's owner does not learn where the box keeps workspaces.
std::string relative_to(const Place& place, std::string text) {
  const auto folder = place.folder.string();
  if (!place.is_workspace) return text;
  for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder, at + 1))
    text.replace(at, folder.size(), ".");
  return text;
}

web::Error error_of(const Place& place, const git::Failure& failure) {
  auto message = relative_to(place, failure.what());
  if (failure.cause == git::Failure::Cause::busy) return web::conflict(std::move(message));
  if (failure.cause == git::Failure::Cause::unsupported) {
    auto error = web::conflict(std::move(message));
    error.code = unsupported_repository;
    return error;
  }
  auto error = web::internal(std::move(message));
  if (failure.cause == git::Failure::Cause::missing) error.code = no_repository;
  return error;
}

}  // namespace

// Runs `use` on the open repository of the place, confined to its folder; exceptions become an Error. `use` gets null
// if there is no repository. Workspaces' repositories are not pooled: an agent may replace its repository at any time.
template <class Use>
auto Repositories::with_repository(const Place& place, Use use, const std::optional<fs::path>& remote) const
    -> web::Result<std::invoke_result_t<Use, git_repository*>> {
  try {
    git::start_library();  // outside the confinement: it reads the CA certificates
    return confined(Confinement{.folder = place.folder, .remote = remote}, [&](const fs::path& folder) {
      git::require_readable_index(folder);
      // A pooled repository remembers the path it was opened by, which differs when there is a remote.
      if (place.is_workspace || remote) return use(git::open(folder).get());
      auto lease = pool_.take(place.folder, folder);
      auto result = use(lease.repository.get());
      pool_.give_back(std::move(lease));
      return result;
    });
  } catch (const git::Failure& failure) {
    return error_of(place, failure);
  } catch (const std::system_error& error) {
    return web::internal("The repository cannot be used: " + error.code().message(), error.what());
  }
}

// Allows one sync per folder at a time.
class Repositories::SyncLock {
 public:
  SyncLock(Repositories& all, const fs::path& folder) : all_(all), folder_(folder) {
    const std::lock_guard lock(all_.mutex_);
    is_held_ = all_.syncing_.insert(folder_).second;
  }
  SyncLock(const SyncLock&) = delete;
  ~SyncLock() {
    if (!is_held_) return;
    const std::lock_guard lock(all_.mutex_);
    all_.syncing_.erase(folder_);
  }
  explicit operator bool() const { return is_held_; }

 private:
  Repositories& all_;
  const fs::path& folder_;
  bool is_held_ = false;
};

struct Repositories::Committed {
  std::optional<std::string> hash, branch;
  std::optional<git::Remote> remote;
  std::optional<std::size_t> unpushed;  // if nothing was committed; see git::unpushed
};

std::string Repositories::no_changes_message(const Committed& committed) {
  std::string nothing = "There is nothing to commit";
  if (!committed.remote || !committed.branch || committed.unpushed == 0u) return nothing;
  const auto& branch = *committed.branch;
  const auto& remote = committed.remote->name;
  if (!committed.unpushed) {
    return nothing + ". Whether " + remote + " has all of " + branch + " is not known: the next commit takes it along";
  }
  const bool is_one = *committed.unpushed == 1;
  return nothing + ", but " + std::to_string(*committed.unpushed) + (is_one ? " commit of " : " commits of ") + branch +
         (is_one ? " is" : " are") + " not pushed to " + remote + " yet: the next commit takes " +
         (is_one ? "it" : "them") + " along";
}

Repositories::Repositories(git::Identity author, FindCredential find_credential, std::chrono::milliseconds remote_time)
    : author_(std::move(author)), find_credential_(std::move(find_credential)), remote_time_(remote_time) {}

web::Result<std::optional<Status>> Repositories::status(const Place& place) const {
  return with_repository(place, [](git_repository* repository) -> std::optional<Status> {
    if (!repository) return std::nullopt;
    const auto remote = git::remote_of(repository);
    Status status{.branch = git::branch_of(repository).value_or("HEAD"),
                  .remote = {},
                  .changes = git::status(repository, git::untracked_in_status(repository), max_changes)};
    if (remote) status.remote = git::without_credentials(remote->url);
    return status;
  });
}

web::Result<Diffs> Repositories::diff(const Place& place, std::string_view path) const {
  const auto asked = normalised(place, path);
  if (!asked) return asked.error();
  auto patches = with_repository(place, [&](git_repository* repository) -> std::optional<Diffs> {
    require(repository);
    const auto candidates = git::dirty_candidates(repository);
    auto unstaged = git::diff(repository, git::Side::unstaged, *asked, max_diff_bytes, candidates);
    if (!unstaged) return std::nullopt;
    auto staged = git::diff(repository, git::Side::staged, *asked, max_diff_bytes, candidates);
    if (!staged) return std::nullopt;
    return Diffs{.unstaged = std::move(*unstaged), .staged = std::move(*staged)};
  });
  if (!patches) return patches.error();
  if (!*patches) return web::invalid("The differences are larger than 4 MB: ask for one path");
  return std::move(**patches);
}

web::Result<std::vector<git::Commit>> Repositories::log(const Place& place, std::size_t limit) const {
  auto commits = with_repository(place, [&](git_repository* repository) {
    require(repository);
    return git::log(repository, limit);
  });
  if (!commits) return commits;
  for (auto& commit : *commits) git::recode(commit);
  return commits;
}

web::Result<git::ShownCommit> Repositories::show(const Place& place, const std::string& revision,
                                                 std::string_view path) const {
  const auto asked = normalised(place, path);
  if (!asked) return asked.error();
  const git::ShowRequest request{
      .revision = revision, .path = *asked, .max_patch_bytes = max_diff_bytes, .max_content_bytes = max_file_bytes};
  auto found = with_repository(place, [&](git_repository* repository) {
    require(repository);
    return git::show(repository, request);
  });
  if (!found) return found.error();
  if (found->shown) {
    git::recode(*found->shown);
    return std::move(*found->shown);
  }
  if (found->fault == git::ShowFault::no_commit) return web::not_found("There is no such commit");
  return web::invalid("The differences are larger than 4 MB: ask for one path");
}

web::Result<Repositories::Committed> Repositories::commit_all(const Place& place, const std::string& message,
                                                              const git::Identity& author) const {
  return with_repository(place, [&](git_repository* repository) {
    require(repository);
    Committed committed;
    committed.hash = git::commit_all(repository, message, author);
    committed.branch = git::branch_of(repository);
    committed.remote = git::remote_of(repository);
    if (!committed.hash && committed.branch && committed.remote) {
      committed.unpushed = git::unpushed(repository, committed.remote->name, *committed.branch);
    }
    return committed;
  });
}

std::optional<std::string> Repositories::push(const Place& place, const Committed& committed) const {
  if (!committed.remote) return "there is no remote";
  if (!committed.branch) return "no branch is checked out";
  const git::Deadline deadline{.at = std::chrono::steady_clock::now() + remote_time_, .is_cancelled = is_cancelled_};
  // Outside the confinement: host names are resolved with the system's configuration, not the workspace's files.
  auto destination = resolve_destination(committed.remote->url, place, find_credential_);
  if (!destination) return destination.error().message;
  const git::PushRequest request{.remote = committed.remote->name,
                                 .url = std::move(destination->url),
                                 .branch = *committed.branch,
                                 .route = std::move(destination->route),
                                 .credential = std::move(destination->credential),
                                 .ssh_path = std::move(destination->ssh_path)};
  const auto pushed = with_repository(
      place,
      [&](git_repository* repository) {
        require(repository);
        return git::push(repository, request, deadline);
      },
      destination->folder);
  return pushed ? *pushed : pushed.error().message;
}

web::Result<SyncResult> Repositories::sync(const Place& place, const std::string& message) {
  const SyncLock lock(*this, place.folder);
  if (!lock) return web::conflict("A sync of this repository is already running");
  const auto committed = commit_all(place, has_words(message) ? message : "sync changes", author_);
  if (!committed) return committed.error();
  SyncResult synced{.hash = committed->hash, .message = {}};
  if (!synced.hash) {
    synced.message = no_changes_message(*committed);
    return synced;
  }
  const auto obstacle = push(place, *committed);
  synced.is_pushed = !obstacle;
  synced.message = obstacle ? "Committed, not pushed: " + *obstacle
                            : "Committed and pushed to " + committed->remote->name + "/" + *committed->branch;
  return synced;
}

web::Result<CommitResult> Repositories::commit(const Place& place, const std::string& message,
                                               const git::Identity& author) {
  const SyncLock lock(*this, place.folder);
  if (!lock) return web::conflict("A commit of this repository is already running");
  auto committed = commit_all(place, message, author);
  if (!committed) return committed.error();
  return CommitResult{.hash = std::move(committed->hash), .branch = std::move(committed->branch)};
}

}  // namespace explorer
