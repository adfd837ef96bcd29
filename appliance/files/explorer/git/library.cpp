#include "appliance/files/explorer/git/library.h"

#include <array>
#include <string_view>

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/remote_stream.h"
#include "web/client/authorities.h"

namespace git {

namespace {

// For all repositories together. If a repository needs more, its operation fails, not the box.
constexpr std::size_t max_mapped_bytes = 512u << 20, max_mapped_files = 128;
constexpr std::size_t window_bytes = 1u << 20;  // of a pack; each is read as a whole (bounds.cpp)
constexpr ssize_t max_cached_bytes = 32 << 20;
constexpr std::size_t max_pack_objects = 5'000'000;

void set_up() {
  check(git_libgit2_init(), "start");
  // Neither the machine's nor the user's configuration, and no template with hooks: the box must not depend on the
  // environment of the user that started it.
  for (const int level :
       {GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL, GIT_CONFIG_LEVEL_PROGRAMDATA}) {
    check(git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, ""), "set its search path");
  }
  check(git_libgit2_opts(GIT_OPT_SET_TEMPLATE_PATH, ""), "set its template");
  // A commit must survive a power failure.
  check(git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1), "turn on syncing");
  // open() checks the owner itself.
  check(git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0), "leave the owner's check to us");
  check(git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, window_bytes), "set the size of its windows");
  check(git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, max_mapped_bytes), "limit its memory");
  check(git_libgit2_opts(GIT_OPT_SET_MWINDOW_FILE_LIMIT, max_mapped_files), "limit its files");
  check(git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, max_cached_bytes), "limit its cache");
  check(git_libgit2_opts(GIT_OPT_SET_PACK_MAX_OBJECTS, max_pack_objects), "limit packs");
  check(git_libgit2_opts(GIT_OPT_SET_USER_AGENT, "agentbox"), "name itself");
  // Additional CA certificates, as for all other TLS connections of the box.
  if (const char* authorities = web::extra_authorities()) {
    check(git_libgit2_opts(GIT_OPT_SET_SSL_CERT_LOCATIONS, authorities, nullptr), "read SSL_CERT_FILE");
  }
  register_remote_stream();
}

// What libgit2 1.5 says of a format that only git reads, and what the user can do about it.
struct UnsupportedFormat {
  std::string_view reason, explanation;
};
constexpr std::array<UnsupportedFormat, 3> unsupported_formats{
    {{"unsupported mandatory extension: 'link'",
      "its index is split (core.splitIndex). Join it with git update-index --no-split-index"},
     {"unsupported mandatory extension: 'sdir'",
      "its index is sparse (index.sparse). Expand it with git sparse-checkout reapply --no-sparse-index"},
     {"extensions.objectformat",
      "its objects have SHA-256 names (extensions.objectFormat). The box reads SHA-1 only"}}};

void require_supported_format(std::string_view reason) {
  for (const auto& format : unsupported_formats)
    if (reason.find(format.reason) != reason.npos) throw unsupported(format.explanation);
}

}  // namespace

Failure unsupported(std::string_view explanation) {
  return Failure("The box cannot use this repository: " + std::string(explanation), Failure::Cause::unsupported);
}

void start_library() {
  static const bool ready = (set_up(), true);
  static_cast<void>(ready);
}

void check(int code, const char* doing) {
  if (code >= 0) return;
  const auto* error = git_error_last();
  const std::string reason = error && error->message ? error->message : "unknown reason";
  require_supported_format(reason);
  const bool is_busy = code == GIT_ELOCKED || code == GIT_EMODIFIED;
  throw Failure("git could not " + std::string(doing) + ": " + reason,
                is_busy ? Failure::Cause::busy : Failure::Cause::broken);
}

}  // namespace git
