// Opening a pipe blocks until another process writes to it, and the owner of a working copy may create a pipe named
// .gitignore. The linker replaces libgit2's function with this one (--wrap=p_open in cmake/dependencies.cmake), which
// does not block.
#include <fcntl.h>
#include <sys/types.h>

#include <cstdarg>

// NOLINTNEXTLINE(bugprone-reserved-identifier): name given by the linker
extern "C" int __wrap_p_open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if (flags & O_CREAT) {
    std::va_list more;
    va_start(more, flags);
    mode = static_cast<mode_t>(va_arg(more, int));
    va_end(more);
  }
  return ::open(path, flags | O_CLOEXEC | O_NONBLOCK, mode);
}
