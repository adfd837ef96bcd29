// Secrets are read from a file and never from the command line, which every program on the machine can read.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace agentbox::cli {

// The file's text without the line end of its only line; "-" reads standard input. Throws UsageError.
std::string read_secret(const std::string& file);

// Adds --password, with this help, and --password-file. `password` must live until the command line is parsed.
void add_password(CLI::App& command, std::string& password, const std::string& help);

}  // namespace agentbox::cli
