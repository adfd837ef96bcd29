#include "summarizer/confine.h"

#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <system_error>

#include "sandbox/landlock.h"
#include "sandbox/limits.h"
#include "sandbox/system_calls.h"
#include "summarizer/file_view.h"

namespace summarizer {

namespace {

#ifdef AGENTBOX_SANITIZED
constexpr bool sanitized = true;  // sanitizers map terabytes
#else
constexpr bool sanitized = false;
#endif

void limit_resources() {
  constexpr rlim_t address_space = rlim_t{2} << 30, open_files = 1'024;
  constexpr auto processor_time = std::chrono::seconds(std::chrono::hours(1)), last_words = std::chrono::seconds(60);
  sandbox::limit(RLIMIT_CORE, 0, 0);
  sandbox::limit(RLIMIT_NOFILE, open_files, open_files);
  sandbox::limit(RLIMIT_CPU, rlim_t(processor_time.count()), rlim_t((processor_time + last_words).count()));
  if (!sanitized) sandbox::limit(RLIMIT_AS, address_space, address_space);
}

}  // namespace

void confine_process(const std::optional<std::vector<std::uint16_t>>& ports, bool listens) {
  try {
    limit_resources();
    sandbox::forbid_new_privileges();
    restrict_files(ports);
    const sandbox::SystemCallFilter filter(
        {.changes_files = false,
         .starts_programs = false,
         .starts_processes = false,
         .signals_others = false,
         .self = ::getpid(),
         .sockets = ports && ports->empty() ? sandbox::Sockets::none : sandbox::Sockets::internet,
         .listens = listens});
    filter.enforce();
  } catch (const std::system_error& error) {
    throw std::runtime_error(std::string("confine the summarizer: ") + error.what());
  }
}

}  // namespace summarizer
