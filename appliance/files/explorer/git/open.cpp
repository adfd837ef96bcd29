// Opening a pipe waits until somebody writes to it, and whoever owns a working copy may call a pipe .gitignore. The
// linker puts this function in place of libgit2's own (--wrap=p_open in cmake/dependencies.cmake): nothing waits, and
// files are opened as ever.
#include <fcntl.h>
#include <sys/types.h>

#include <cstdarg>

// NOLINTNEXTLINE(bugprone-reserved-identifier): the linker's name for it
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
