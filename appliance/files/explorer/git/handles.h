// RAII handles for libgit2's objects, and its error codes as exceptions. Only sources that use libgit2 include it and
// git2.h.
#pragma once

#include <git2.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "appliance/files/explorer/git/failure.h"

namespace git {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
template <class T, auto Free>
using Handle = std::unique_ptr<T, Freed<Free>>;

using CommitHandle = Handle<git_commit, git_commit_free>;
using ConfigHandle = Handle<git_config, git_config_free>;
using ConfigIterator = Handle<git_config_iterator, git_config_iterator_free>;
using DiffHandle = Handle<git_diff, git_diff_free>;
using IndexHandle = Handle<git_index, git_index_free>;
using ObjectHandle = Handle<git_object, git_object_free>;
using ReferenceHandle = Handle<git_reference, git_reference_free>;
using RemoteHandle = Handle<git_remote, git_remote_free>;
using SignatureHandle = Handle<git_signature, git_signature_free>;
using StatusHandle = Handle<git_status_list, git_status_list_free>;
using TreeHandle = Handle<git_tree, git_tree_free>;
using WalkHandle = Handle<git_revwalk, git_revwalk_free>;

// Strings that libgit2 allocates.
struct Buffer : git_buf {
  Buffer() : git_buf{} {}
  Buffer(const Buffer&) = delete;
  ~Buffer() { git_buf_dispose(this); }
  std::string text() const { return ptr ? std::string(ptr, size) : std::string(); }
};

// Throws Failure with libgit2's reason for a negative code: "git could not <doing>: <reason>".
void check(int code, const char* doing);

// Creates a handle from one of libgit2's out parameters.
template <class HandleType, class Call>
HandleType made(Call call, const char* doing) {
  typename HandleType::pointer object = nullptr;
  check(call(&object), doing);
  return HandleType(object);
}

// The same, but returns an empty handle if the object does not exist.
template <class HandleType, class Call>
HandleType found(Call call, const char* doing) {
  typename HandleType::pointer object = nullptr;
  const int code = call(&object);
  if (code == GIT_ENOTFOUND || code == GIT_EUNBORNBRANCH) return HandleType();
  check(code, doing);
  return HandleType(object);
}

inline std::string text_of(const git_oid& id) { return git_oid_tostr_s(&id); }

}  // namespace git
