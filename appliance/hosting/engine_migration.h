// When the engine has changed since the last run (AGENT_RUNTIME was changed, or `auto` found an image), stops the
// agents in the former engine before they are started in the new one, so that none runs twice.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/runtime/engine.h"

namespace agentbox {

class EngineMigration {
 public:
  using Make = std::function<std::unique_ptr<runtime::Engine>(std::string_view name)>;
  // `note` is the file with the name of the last run's engine; `current` names this run's. `make` returns null for an
  // unknown name.
  EngineMigration(std::filesystem::path note, std::string_view current, Make make)
      : note_(std::move(note)), current_(current), make_(std::move(make)) {}

  bool has_changed() const;
  // Stops these agents in the former engine. If that engine does not respond, logs a warning; the next start of the box
  // tries again.
  web::Task<> stop_agents(std::vector<std::string> ids);

 private:
  std::string former_engine() const;  // empty on the first run

  const std::filesystem::path note_;
  const std::string current_;
  const Make make_;
  std::unique_ptr<runtime::Engine> engine_;  // destroyed, like every engine, only after its io_context has stopped
};

}  // namespace agentbox
