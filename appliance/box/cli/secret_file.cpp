#include "appliance/box/cli/secret_file.h"

#include <fstream>
#include <iostream>
#include <sstream>

#include "appliance/foundation/settings/settings.h"

namespace agentbox::cli {

std::string read_secret(const std::string& file) {
  std::ostringstream text;
  std::ifstream opened;
  if (file != "-") opened.open(file);
  text << (file == "-" ? std::cin.rdbuf() : opened.rdbuf());
  std::string secret = text.str();
  if ((file != "-" && !opened) || secret.empty()) throw UsageError("cannot read a secret from " + file);
  if (secret.find('\n') == secret.size() - 1) secret.pop_back();  // a private key of several lines needs its own
  return secret;
}

}  // namespace agentbox::cli
