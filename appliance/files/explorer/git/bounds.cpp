// Repositories are their owner's to write, also while they are read. The linker replaces some of libgit2's functions
// with those here (--wrap in cmake/dependencies.cmake):
//
//   p_mmap                  reads what libgit2 would map: the kernel ends the process with SIGBUS when it touches a
//                           mapped file behind its end, and the owner may truncate a file at any time
//   git_odb_read            (and git_odb_read_prefix) refuses objects that would take more memory than a repository may
//   git_diff_find_similar   pairs renamed files with a limit of its own, whatever diff.renameLimit says
#include <git2.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace {

constexpr std::size_t max_object_bytes = 64u << 20;
constexpr std::size_t max_renames = 1'000, max_paired = 20'000;

// libgit2's git_map, the same since 0.x.
struct Map {
  void* data;
  std::size_t size;
};
constexpr int map_protection_read = 1;  // GIT_PROT_READ

bool read_all(int file, char* to, std::size_t size, off64_t offset) {
  while (size > 0) {
    const auto count = ::pread64(file, to, size, offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) return true;  // it has become shorter: the rest stays zero
    to += count;
    offset += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier): names given by the linker
int __real_p_mmap(Map* out, std::size_t size, int protection, int flags, int file, off64_t offset);
int __real_git_odb_read(git_odb_object** out, git_odb* database, const git_oid* id);
int __real_git_diff_find_similar(git_diff* diff, const git_diff_find_options* options);

// Unmapped by libgit2 like any other mapping. Those that it writes to are files of its own making.
int __wrap_p_mmap(Map* out, std::size_t size, int protection, int flags, int file, off64_t offset) {
  if (protection != map_protection_read || size == 0) return __real_p_mmap(out, size, protection, flags, file, offset);
  *out = {};
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || !read_all(file, static_cast<char*>(memory), size, offset)) {
    if (memory != MAP_FAILED) ::munmap(memory, size);
    git_error_set_str(GIT_ERROR_OS, "a file of the repository cannot be read");
    return -1;
  }
  *out = {.data = memory, .size = size};
  return 0;
}

int __wrap_git_odb_read(git_odb_object** out, git_odb* database, const git_oid* id) {
  std::size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  if (const int code = git_odb_read_header(&size, &type, database, id); code != 0) return code;
  if (size > max_object_bytes) {
    git_error_set_str(GIT_ERROR_ODB, "an object of the repository is larger than 64 MB");
    return -1;
  }
  return __real_git_odb_read(out, database, id);
}

int __wrap_git_odb_read_prefix(git_odb_object** out, git_odb* database, const git_oid* prefix, std::size_t length) {
  git_oid id;
  if (const int code = git_odb_exists_prefix(&id, database, prefix, length); code != 0) return code;
  return __wrap_git_odb_read(out, database, &id);
}

int __wrap_git_diff_find_similar(git_diff* diff, const git_diff_find_options* given) {
  if (git_diff_num_deltas(diff) > max_paired) return 0;  // additions and deletions instead of renames
  git_diff_find_options options = GIT_DIFF_FIND_OPTIONS_INIT;
  if (given) options = *given;
  if (options.rename_limit == 0 || options.rename_limit > max_renames) options.rename_limit = max_renames;
  return __real_git_diff_find_similar(diff, &options);
}
// NOLINTEND(bugprone-reserved-identifier)

}  // extern "C"
