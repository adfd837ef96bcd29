// Commands that lose something ask first.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>

namespace agentbox::cli {

class Confirmation {
 public:
  // Adds --yes to the command.
  explicit Confirmation(CLI::App& command);
  bool is_given() const { return *is_given_; }
  // Asks `question` on the terminal, unless --yes was given. Throws UsageError if the answer is not yes, or there is no
  // terminal to ask on.
  void require(const std::string& question) const;

 private:
  std::shared_ptr<bool> is_given_ = std::make_shared<bool>(false);
};

}  // namespace agentbox::cli
