#include "appliance/agent_process/repository.h"

#include <git2.h>

#include <chrono>
#include <fstream>
#include <stdexcept>

#include "web/reply.h"

namespace agent_process {

namespace {

constexpr const char* author_name = "agentbox agent";
constexpr const char* author_email = "agent@agentbox.invalid";
constexpr std::size_t short_hash_length = 7;

template <class T, void (*Free)(T*)>
struct Freed {
  void operator()(T* object) const { Free(object); }
};
template <class T, void (*Free)(T*)>
using Handle = std::unique_ptr<T, Freed<T, Free>>;

using RepositoryHandle = Handle<git_repository, git_repository_free>;
using IndexHandle = Handle<git_index, git_index_free>;
using TreeHandle = Handle<git_tree, git_tree_free>;
using CommitHandle = Handle<git_commit, git_commit_free>;
using SignatureHandle = Handle<git_signature, git_signature_free>;
using StatusHandle = Handle<git_status_list, git_status_list_free>;
using WalkHandle = Handle<git_revwalk, git_revwalk_free>;

void check(int code, const char* doing) {
  if (code >= 0) return;
  const auto* error = git_error_last();
  throw std::runtime_error(std::string("git could not ") + doing + ": " + (error ? error->message : "unknown reason"));
}

// Fills a handle through one of libgit2's out parameters.
template <class HandleType, class Call>
HandleType made(Call call, const char* doing) {
  typename HandleType::pointer object = nullptr;
  check(call(&object), doing);
  return HandleType(object);
}

// The library's own state, set up once for the process.
void initialize() {
  static const bool ready = [] {
    check(git_libgit2_init(), "start");
    for (const int level :
         {GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL, GIT_CONFIG_LEVEL_PROGRAMDATA}) {
      check(git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, ""), "set its search path");
    }
    // A commit is the record of a turn: it must not be lost with the power.
    check(git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1), "turn on syncing");
    return true;
  }();
  static_cast<void>(ready);
}

RepositoryHandle open_or_init(const std::filesystem::path& folder) {
  git_repository* opened = nullptr;
  const int code = git_repository_open_ext(&opened, folder.c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
  if (code == 0) return RepositoryHandle(opened);
  if (code != GIT_ENOTFOUND) check(code, "open the workspace");
  git_repository_init_options options = GIT_REPOSITORY_INIT_OPTIONS_INIT;
  options.flags = GIT_REPOSITORY_INIT_NO_REINIT | GIT_REPOSITORY_INIT_MKPATH;
  options.initial_head = "main";
  return made<RepositoryHandle>([&](auto** out) { return git_repository_init_ext(out, folder.c_str(), &options); },
                                "make the workspace a repository");
}

void write_excludes(const git_repository* repository, const std::vector<std::string>& patterns) {
  const auto path = std::filesystem::path(git_repository_path(repository)) / "info" / "exclude";
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::trunc);
  for (const auto& pattern : patterns) file << pattern << '\n';
  if (!file.flush()) throw std::runtime_error("git's exclude file cannot be written: " + path.string());
}

std::string text_of(const git_oid& id) { return git_oid_tostr_s(&id); }

std::string_view status_name(unsigned flags) {
  if (flags & (GIT_STATUS_WT_NEW | GIT_STATUS_INDEX_NEW)) return "added";
  if (flags & (GIT_STATUS_WT_DELETED | GIT_STATUS_INDEX_DELETED)) return "deleted";
  if (flags & (GIT_STATUS_WT_RENAMED | GIT_STATUS_INDEX_RENAMED)) return "renamed";
  return "modified";
}

const char* path_of(const git_status_entry& entry) {
  const auto* delta = entry.index_to_workdir ? entry.index_to_workdir : entry.head_to_index;
  return delta->new_file.path ? delta->new_file.path : delta->old_file.path;
}

}  // namespace

struct Repository::Impl {
  RepositoryHandle repository;

  // Null: no commit yet.
  CommitHandle head() const {
    git_oid id;
    const int code = git_reference_name_to_id(&id, repository.get(), "HEAD");
    if (code == GIT_ENOTFOUND) return nullptr;
    check(code, "find the newest commit");
    return commit(id);
  }

  CommitHandle commit(const git_oid& id) const {
    return made<CommitHandle>([&](auto** out) { return git_commit_lookup(out, repository.get(), &id); },
                              "read a commit");
  }
};

Repository::Repository(const std::filesystem::path& folder, const std::vector<std::string>& excluded)
    : impl_(std::make_unique<Impl>()) {
  initialize();
  impl_->repository = open_or_init(folder);
  write_excludes(impl_->repository.get(), excluded);
}

Repository::~Repository() = default;

std::vector<Repository::Changed> Repository::status(std::size_t limit) const {
  git_status_options options = GIT_STATUS_OPTIONS_INIT;
  options.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR;
  options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_RECURSE_UNTRACKED_DIRS;
  const auto list = made<StatusHandle>(
      [&](auto** out) { return git_status_list_new(out, impl_->repository.get(), &options); }, "compare the files");
  std::vector<Changed> changes;
  for (std::size_t i = 0; i < git_status_list_entrycount(list.get()) && changes.size() < limit; ++i) {
    const auto* entry = git_status_byindex(list.get(), i);
    changes.push_back({.status = std::string(status_name(entry->status)), .path = path_of(*entry)});
  }
  return changes;
}

std::vector<Repository::Commit> Repository::log(std::size_t limit) const {
  std::vector<Commit> commits;
  if (!impl_->head()) return commits;
  const auto walk =
      made<WalkHandle>([&](auto** out) { return git_revwalk_new(out, impl_->repository.get()); }, "walk the history");
  check(git_revwalk_sorting(walk.get(), GIT_SORT_TOPOLOGICAL | GIT_SORT_TIME), "sort the history");
  check(git_revwalk_push_head(walk.get()), "find the newest commit");
  git_oid id;
  while (commits.size() < limit && git_revwalk_next(&id, walk.get()) == 0) {
    const auto commit = impl_->commit(id);
    const auto* author = git_commit_author(commit.get());
    const auto* subject = git_commit_summary(commit.get());
    const std::chrono::sys_time<std::chrono::milliseconds> at{std::chrono::seconds(author->when.time)};
    commits.push_back({.hash = text_of(id),
                       .short_hash = text_of(id).substr(0, short_hash_length),
                       .subject = subject ? subject : "",
                       .author = author->name,
                       .date = web::iso8601(at)});
  }
  return commits;
}

std::optional<std::string> Repository::commit_all(std::string_view message) {
  auto* repository = impl_->repository.get();
  const auto index =
      made<IndexHandle>([&](auto** out) { return git_repository_index(out, repository); }, "read the index");
  check(git_index_read(index.get(), 0), "read the index");
  check(git_index_add_all(index.get(), nullptr, GIT_INDEX_ADD_DEFAULT, nullptr, nullptr), "add the files");
  check(git_index_write(index.get()), "write the index");
  git_oid tree_id;
  check(git_index_write_tree(&tree_id, index.get()), "write the tree");

  const auto parent = impl_->head();
  if (parent ? git_oid_equal(git_commit_tree_id(parent.get()), &tree_id) != 0
             : git_index_entrycount(index.get()) == 0) {
    return std::nullopt;
  }
  const auto tree =
      made<TreeHandle>([&](auto** out) { return git_tree_lookup(out, repository, &tree_id); }, "read the tree");
  const auto author = made<SignatureHandle>(
      [&](auto** out) { return git_signature_now(out, author_name, author_email); }, "name the author");
  const git_commit* parents[] = {parent.get()};
  git_oid id;
  check(git_commit_create(&id, repository, "HEAD", author.get(), author.get(), "UTF-8", std::string(message).c_str(),
                          tree.get(), parent ? 1 : 0, parents),
        "commit");
  return text_of(id);
}

}  // namespace agent_process
