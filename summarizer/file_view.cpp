#include "summarizer/file_view.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

#include "sandbox/landlock.h"

namespace summarizer {

bool restrict_files() {
  if (sandbox::landlock_version() == 0) return false;
  try {
    sandbox::FileRules rules;
    // /run holds the resolver's settings. The kernel hides private files of other processes in /proc.
    for (const char* path :
         {"/usr", "/lib", "/lib64", "/etc", "/proc", "/sys/devices/system/cpu", "/run/systemd/resolve",
          "/run/resolvconf", "/run/NetworkManager", "/dev/urandom", "/dev/random"}) {
      rules.allow_reading(path);
    }
    rules.allow_reading_and_writing("/dev/null");
    for (const char* name : {"SSL_CERT_FILE", "SSL_CERT_DIR"}) {
      if (const char* path = std::getenv(name)) rules.allow_reading(path);
    }
    rules.enforce();
  } catch (const std::system_error& error) {
    throw std::runtime_error(std::string("confine the summarizer: ") + error.what());
  }
  return true;
}

}  // namespace summarizer
