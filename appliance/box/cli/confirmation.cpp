#include "appliance/box/cli/confirmation.h"

#include <unistd.h>

#include <iostream>

#include "appliance/foundation/settings/settings.h"

namespace agentbox::cli {

Confirmation::Confirmation(CLI::App& command) { command.add_flag("-y,--yes", *is_given_, "do not ask first"); }

void Confirmation::require(const std::string& question) const {
  if (*is_given_) return;
  if (isatty(STDIN_FILENO) == 0) throw UsageError(question + " Confirm with --yes");
  std::cerr << question << " [y/N] ";
  std::string answer;
  std::getline(std::cin, answer);
  if (answer != "y" && answer != "Y" && answer != "yes") throw UsageError("nothing was changed");
}

}  // namespace agentbox::cli
