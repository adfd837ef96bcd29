// What the box's listeners have in common.
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "appliance/foundation/settings/settings.h"
#include "web/server.h"

namespace agentbox {

// Options of a listener that may hold this share of the descriptors the process may open.
web::ListenerOptions listener_options(const Settings&, std::string name, std::string listen,
                                      double share_of_descriptors);

// The handlers' exceptions that have a cause to report: a store that is read-only or damaged. Nothing for any other.
std::optional<web::Error> explain(std::exception_ptr);
// The same for the box's operators, who hold the internal key: with the paths.
std::optional<web::Error> explain_fully(std::exception_ptr);

// The reason of any exception, for the log.
std::string reason_of(std::exception_ptr);

// An address that a program on this machine can connect to: a listener on every address is reached by loopback.
std::string reachable(std::string url);

}  // namespace agentbox
