#include "summarizer/file_view.h"

#include <cstdlib>

#include "sandbox/landlock.h"
#include "sandbox/system_files.h"

namespace summarizer {

bool restrict_files(const std::optional<std::vector<std::uint16_t>>& ports) {
  if (sandbox::landlock_version() == 0) return false;
  sandbox::LandlockRules rules({.tcp = ports.has_value(), .processes = true});
  for (const auto port : ports.value_or(std::vector<std::uint16_t>())) rules.allow_connecting(port);
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
