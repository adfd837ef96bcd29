// Agents that another engine ran than the one chosen now (AGENT_RUNTIME was changed, or `auto` found an image): they
// are ended there before they are started here, so that none runs twice.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/runtime/engine.h"

namespace agentbox {

class EngineMigration {
 public:
  using Make = std::function<std::unique_ptr<runtime::Engine>(std::string_view name)>;
  // `note` is the file that names the engine of the last run; `now` names the one of this. `make` answers nothing for a
  // name it does not know.
  EngineMigration(std::filesystem::path note, std::string_view now, Make make)
      : note_(std::move(note)), now_(now), make_(std::move(make)) {}

  bool is_another() const;
  // Ends these agents where they ran last. When that engine cannot be asked the log says so, and the next start of the
  // box tries again.
  web::Task<> end_agents(std::vector<std::string> ids);

 private:
  std::string name() const;  // empty: this is the first run

  const std::filesystem::path note_;
  const std::string now_;
  const Make make_;
  std::unique_ptr<runtime::Engine> engine_;  // as every engine it lives until its io_context runs no more
};

}  // namespace agentbox
