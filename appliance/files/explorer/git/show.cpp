#include "appliance/files/explorer/git/show.h"

#include <algorithm>

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/head.h"
#include "appliance/files/explorer/git/patch.h"
#include "appliance/files/explorer/git/shallow.h"
#include "web/utf8.h"

namespace git {

namespace {

using BlobHandle = Handle<git_blob, git_blob_free>;
using DatabaseHandle = Handle<git_odb, git_odb_free>;
using EntryHandle = Handle<git_tree_entry, git_tree_entry_free>;

constexpr auto show_action = "show the commit";
constexpr std::size_t full_hash = GIT_OID_HEXSZ, least_hash = GIT_OID_MINPREFIXLEN;

bool is_hash(std::string_view text) {
  return text.size() >= least_hash && text.size() <= full_hash && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

// The codes for an absent commit: no such name, ambiguous, invalid, or the name of something else.
bool is_absence(int code) {
  return code == GIT_ENOTFOUND || code == GIT_EAMBIGUOUS || code == GIT_EINVALIDSPEC || code == GIT_EPEEL;
}

template <class HandleType, class Call>
HandleType present(Call call) {
  typename HandleType::pointer object = nullptr;
  const int code = call(&object);
  if (is_absence(code)) return HandleType();
  check(code, show_action);
  return HandleType(object);
}

CommitHandle by_hash(git_repository* repository, std::string_view text) {
  git_oid id;
  check(git_oid_fromstrn(&id, text.data(), text.size()), show_action);
  return present<CommitHandle>([&](auto** out) { return git_commit_lookup_prefix(out, repository, &id, text.size()); });
}

CommitHandle by_name(git_repository* repository, const std::string& name) {
  const auto reference =
      present<ReferenceHandle>([&](auto** out) { return git_reference_dwim(out, repository, name.c_str()); });
  if (!reference) return nullptr;
  const auto object =
      present<ObjectHandle>([&](auto** out) { return git_reference_peel(out, reference.get(), GIT_OBJECT_COMMIT); });
  if (!object) return nullptr;
  return present<CommitHandle>(
      [&](auto** out) { return git_commit_lookup(out, repository, git_object_id(object.get())); });
}

// In git's order: full hashes first, then names, then abbreviated hashes.
CommitHandle find(git_repository* repository, const std::string& revision) {
  if (revision.size() == full_hash && is_hash(revision)) return by_hash(repository, revision);
  auto named = by_name(repository, revision);
  if (named || !is_hash(revision)) return named;
  return by_hash(repository, revision);
}

TreeHandle tree_of(const git_commit* commit) {
  return made<TreeHandle>([&](auto** out) { return git_commit_tree(out, commit); }, show_action);
}

char letter(git_delta_t status) {
  switch (status) {
    case GIT_DELTA_ADDED:
      return 'A';
    case GIT_DELTA_DELETED:
      return 'D';
    case GIT_DELTA_RENAMED:
      return 'R';
    case GIT_DELTA_TYPECHANGE:
      return 'T';
    default:
      return 'M';
  }
}

// A file whose type changed (to a link, say) appears twice: deleted and added.
std::vector<ShownCommit::File> files_of(git_diff* diff) {
  std::vector<ShownCommit::File> files;
  for (std::size_t i = 0; i < git_diff_num_deltas(diff); ++i) {
    const auto* delta = git_diff_get_delta(diff, i);
    ShownCommit::File file{.status = letter(delta->status), .path = delta->new_file.path, .from = {}};
    if (delta->status == GIT_DELTA_RENAMED) file.from = delta->old_file.path;
    const bool is_other_kind = !files.empty() && files.back().path == file.path && files.back().status != file.status &&
                               !file.from && !files.back().from;
    if (is_other_kind) {
      files.back().status = 'T';
    } else {
      files.push_back(std::move(file));
    }
  }
  return files;
}

std::optional<std::string> content_of(git_repository* repository, const git_tree* tree, const ShowRequest& request) {
  if (request.path.empty()) return std::nullopt;
  const auto entry =
      present<EntryHandle>([&](auto** out) { return git_tree_entry_bypath(out, tree, request.path.c_str()); });
  if (!entry || git_tree_entry_type(entry.get()) != GIT_OBJECT_BLOB) return std::nullopt;
  const auto* id = git_tree_entry_id(entry.get());
  const auto database =
      made<DatabaseHandle>([&](auto** out) { return git_repository_odb(out, repository); }, show_action);
  std::size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  check(git_odb_read_header(&size, &type, database.get(), id), show_action);  // before loading it into memory
  if (size > request.max_content_bytes) return std::nullopt;
  const auto blob = made<BlobHandle>([&](auto** out) { return git_blob_lookup(out, repository, id); }, show_action);
  std::string text(static_cast<const char*>(git_blob_rawcontent(blob.get())), size);
  if (!web::is_utf8(text) || text.find('\0') != std::string::npos) return std::nullopt;
  return text;
}

}  // namespace

ShowResult show(git_repository* repository, const ShowRequest& request) {
  const auto commit = find(repository, request.revision);
  if (!commit) return {.shown = {}, .fault = ShowFault::no_commit};
  const auto* author = git_commit_author(commit.get());
  const auto* message = git_commit_message(commit.get());
  ShownCommit shown{.commit = described(commit.get()),
                    .message = message ? message : "",
                    .email = author->email,
                    .parents = {},
                    .files = {},
                    .patch = {},
                    .content = {}};
  const auto parents = Shallow(repository).parents_of(commit.get());
  for (const auto& parent : parents) shown.parents.push_back(text_of(parent));

  const auto tree = tree_of(commit.get());
  TreeHandle before;
  if (!parents.empty()) {
    const auto parent =
        made<CommitHandle>([&](auto** out) { return git_commit_parent(out, commit.get(), 0); }, show_action);
    before = tree_of(parent.get());
  }
  const PatchOptions options(request.path.empty() ? std::vector<std::string>() : std::vector{request.path});
  const auto compared = made<DiffHandle>(
      [&](auto** out) { return git_diff_tree_to_tree(out, repository, before.get(), tree.get(), &options.get()); },
      show_action);
  const auto patches = patches_of(repository, compared.get(), request.max_patch_bytes);
  if (!patches) return {.shown = {}, .fault = ShowFault::too_large};
  shown.patch = joined(*patches);
  shown.files = files_of(compared.get());
  shown.content = content_of(repository, tree.get(), request);
  return {.shown = std::move(shown)};
}

}  // namespace git
