#include "summarizer/file_view.h"

#include <cstdlib>

#include "sandbox/landlock.h"
#include "sandbox/system_files.h"

namespace summarizer {

bool restrict_files() {
  if (sandbox::landlock_version() == 0) return false;
  sandbox::LandlockRules rules({.processes = true});
  // The kernel hides private files of other processes in /proc.
  for (const char* path : sandbox::system_files) rules.allow_reading(path);
  rules.allow_reading_and_writing("/dev/null");
  for (const char* name : {"SSL_CERT_FILE", "SSL_CERT_DIR"}) {
    if (const char* path = std::getenv(name)) rules.allow_reading(path);
  }
  rules.enforce();
  return true;
}

}  // namespace summarizer
