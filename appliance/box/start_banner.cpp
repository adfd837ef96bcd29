#include "appliance/box/start_banner.h"

#include <unistd.h>

#include <cstdlib>

#include "appliance/foundation/version.h"

namespace agentbox {

web::log::Format log_format(const Settings& settings) {
  using web::log::Format;
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  if (settings.log_format == "json" || (settings.log_format == "auto" && !is_terminal)) return Format::json;
  return is_terminal && std::getenv("NO_COLOR") == nullptr ? Format::colours : Format::text;
}

std::string start_banner(const StartFacts& facts) {
  const std::string nobody = "none yet: agentbox admin create-user EMAIL --admin --data " + facts.data;
  return std::string("\nagentbox ") + version + "\n\n  console   " + facts.web + "\n  backend   " + facts.backend +
         "\n  data      " + facts.data + "\n  admin     " + (facts.admin.empty() ? nobody : facts.admin) +
         "\n  agents    " + facts.agents + "\n  isolation " + facts.isolation + "\n\n";
}

}  // namespace agentbox
