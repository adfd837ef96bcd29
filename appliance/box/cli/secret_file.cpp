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

void add_password(CLI::App& command, std::string& password, const std::string& help) {
  auto* plain = command.add_option("--password", password, help);
  const auto read = [&password](const std::string& file) {
    try {
      password = read_secret(file);
    } catch (const UsageError& error) {
      throw CLI::ValidationError("--password-file", error.what());
    }
  };
  command
      .add_option_function<std::string>("--password-file", read,
                                        "read the password from FILE, since other users can see the command line; -: "
                                        "standard input")
      ->type_name("FILE")
      ->excludes(plain);
}

}  // namespace agentbox::cli
