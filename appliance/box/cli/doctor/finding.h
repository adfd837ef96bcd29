// What `agentbox doctor` has found out about one thing.
#pragma once

#include <string>
#include <vector>

namespace agentbox::cli::doctor {

// note: something optional is absent. warning: it works, but not as it should. problem: it does not work.
enum class Level { ok, note, warning, problem };

struct Finding {
  std::string check;  // the thing: "data folder", "web listener", ...
  Level level = Level::ok;
  std::string found;   // without secrets
  std::string advice;  // what to do; empty if it is fine
};

using Findings = std::vector<Finding>;

}  // namespace agentbox::cli::doctor
