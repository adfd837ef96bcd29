// Secrets are read from a file and never from the command line, which every program on the machine can read.
#pragma once

#include <string>

namespace agentbox::cli {

// The file's text without the line end of its only line; "-" reads standard input. Throws UsageError.
std::string read_secret(const std::string& file);

}  // namespace agentbox::cli
