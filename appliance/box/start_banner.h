// What a person sees when the box starts on a terminal.
#pragma once

#include <string>

#include "appliance/foundation/settings/settings.h"
#include "web/log_format.h"

namespace agentbox {

// LOG_FORMAT; auto: readable on a terminal, else JSON. Colours only on a terminal, and not if NO_COLOR is set.
web::log::Format log_format(const Settings&);

struct StartFacts {
  std::string web, backend, data;
  std::string admin;   // an administrator's address; empty: there is none
  std::string agents;  // what runs them, and why
  std::string isolation;
};
// Several lines, with a line end.
std::string start_banner(const StartFacts&);

}  // namespace agentbox
