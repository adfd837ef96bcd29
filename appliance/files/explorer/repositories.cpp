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
  if (!repository) throw git::Failure("This folder is not a git repository");
}

}  // namespace

// Runs `use` on the open repository of the place, kept to its folder; what it may throw becomes an Error. `use` gets a
// null pointer where there is no repository. An agent may exchange its repository at any time, so it is opened anew.
template <class Use>
auto Repositories::look(const Place& place, Use use, const std::optional<fs::path>& remote) const
    -> web::Result<std::invoke_result_t<Use, git_repository*>> {
  try {
    git::start_library();  // outside the confinement: it reads the files of the authorities
    return confined(Confinement{.folder = place.folder, .remote = remote}, [&](const fs::path& folder) {
      // One that stays open knows the path it was opened by, which is another where there is a remote.
      if (place.is_workspace || remote) return use(git::open(folder).get());
      auto lease = pool_.take(place.folder, folder);
      auto result = use(lease.repository.get());
      pool_.give_back(std::move(lease));
      return result;
    });
  } catch (const git::Failure& failure) {
    return failure.cause == git::Failure::Cause::busy ? web::conflict(failure.what()) : web::internal(failure.what());
  } catch (const std::system_error& error) {
    return web::internal("The repository cannot be used: " + error.code().message(), error.what());
  }
}

// While it lives, nobody else syncs the folder.
class Repositories::Turn {
 public:
  Turn(Repositories& all, const fs::path& folder) : all_(all), folder_(folder) {
    const std::lock_guard lock(all_.mutex_);
    is_ours_ = all_.syncing_.insert(folder_).second;
  }
  Turn(const Turn&) = delete;
  ~Turn() {
    if (!is_ours_) return;
    const std::lock_guard lock(all_.mutex_);
    all_.syncing_.erase(folder_);
  }
  explicit operator bool() const { return is_ours_; }

 private:
  Repositories& all_;
  const fs::path& folder_;
  bool is_ours_ = false;
};

struct Repositories::Committed {
  std::optional<std::string> hash, branch;
  std::optional<git::Remote> remote;
  std::optional<std::size_t> unpushed;  // where nothing was committed; see git::unpushed
};

std::string Repositories::told_of_nothing(const Committed& committed) {
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
  return look(place, [](git_repository* repository) -> std::optional<Status> {
    if (!repository) return std::nullopt;
    const auto remote = git::remote_of(repository);
    Status status{.branch = git::branch_of(repository).value_or("HEAD"),
                  .remote = {},
                  .changes = git::status(repository, git::untracked_in_status(repository), most_changes)};
    if (remote) status.remote = git::without_credentials(remote->url);
    return status;
  });
}

web::Result<Diffs> Repositories::diff(const Place& place, std::string_view path) const {
  const auto asked = normalised(path);
  if (!asked) return asked.error();
  auto patches = look(place, [&](git_repository* repository) -> std::optional<Diffs> {
    require(repository);
    const auto suspects = git::dirty_candidates(repository);
    auto unstaged = git::diff(repository, git::Side::unstaged, *asked, most_diff_bytes, suspects);
    if (!unstaged) return std::nullopt;
    auto staged = git::diff(repository, git::Side::staged, *asked, most_diff_bytes, suspects);
    if (!staged) return std::nullopt;
    return Diffs{.unstaged = std::move(*unstaged), .staged = std::move(*staged)};
  });
  if (!patches) return patches.error();
  if (!*patches) return web::invalid("The differences are larger than 4 MB: ask for one path");
  return std::move(**patches);
}

web::Result<std::vector<git::Commit>> Repositories::log(const Place& place, std::size_t limit) const {
  auto commits = look(place, [&](git_repository* repository) {
    require(repository);
    return git::log(repository, limit);
  });
  if (!commits) return commits;
  for (auto& commit : *commits) git::recode(commit);
  return commits;
}

web::Result<git::ShownCommit> Repositories::show(const Place& place, const std::string& revision,
                                                 std::string_view path) const {
  const auto asked = normalised(path);
  if (!asked) return asked.error();
  const git::ShowOrder order{
      .revision = revision, .path = *asked, .most_patch_bytes = most_diff_bytes, .most_content_bytes = most_file_bytes};
  auto found = look(place, [&](git_repository* repository) {
    require(repository);
    return git::show(repository, order);
  });
  if (!found) return found.error();
  if (found->shown) {
    git::recode(*found->shown);
    return std::move(*found->shown);
  }
  if (found->fault == git::ShowFault::no_commit) return web::not_found("There is no such commit");
  return web::invalid("The differences are larger than 4 MB: ask for one path");
}

web::Result<Repositories::Committed> Repositories::commit(const Place& place, const std::string& message) const {
  return look(place, [&](git_repository* repository) {
    require(repository);
    Committed committed;
    committed.hash = git::commit_all(repository, message, author_);
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
  const git::Deadline deadline{.deadline = std::chrono::steady_clock::now() + remote_time_,
                               .is_given_up = is_given_up_};
  // Outside the confinement: names are resolved with the box's files, not a workspace's.
  auto destination = judge(committed.remote->url, place, find_credential_);
  if (!destination) return destination.error().message;
  const git::PushOrder order{.remote = committed.remote->name,
                             .url = std::move(destination->url),
                             .branch = *committed.branch,
                             .route = std::move(destination->route),
                             .credential = std::move(destination->credential),
                             .ssh_path = std::move(destination->ssh_path)};
  const auto pushed = look(
      place,
      [&](git_repository* repository) {
        require(repository);
        return git::push(repository, order, deadline);
      },
      destination->folder);
  return pushed ? *pushed : pushed.error().message;
}

web::Result<Synced> Repositories::sync(const Place& place, const std::string& message) {
  const Turn turn(*this, place.folder);
  if (!turn) return web::conflict("A sync of this repository is already running");
  const auto committed = commit(place, has_words(message) ? message : "sync changes");
  if (!committed) return committed.error();
  Synced synced{.hash = committed->hash, .message = {}};
  if (!synced.hash) {
    synced.message = told_of_nothing(*committed);
    return synced;
  }
  const auto obstacle = push(place, *committed);
  synced.is_pushed = !obstacle;
  synced.message = obstacle ? "Committed, not pushed: " + *obstacle
                            : "Committed and pushed to " + committed->remote->name + "/" + *committed->branch;
  return synced;
}

}  // namespace explorer
