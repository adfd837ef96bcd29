// Sub-agents: parts of a task with a context of their own, which read, search and write files beside each other. One
// level deep: they cannot delegate, and have no tools that reach others (messages, payments, schedules, notices).
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "appliance/agent/model_client.h"
#include "appliance/agent/tools/toolbox.h"

namespace agent_process {

struct DelegationLimits {
  std::size_t max_rounds = 15;        // model calls of one sub-agent; the last one sums up
  std::int64_t max_tokens = 200'000;  // of one sub-agent
  std::chrono::milliseconds time{300'000};
};

// Used from one io thread. All arguments must outlive it.
class Delegation {
 public:
  // `prompt` begins the system prompt of each sub-agent.
  Delegation(const ModelClient& model, const Toolbox& toolbox, std::string prompt, DelegationLimits limits = {})
      : model_(model), toolbox_(toolbox), prompt_(std::move(prompt)), limits_(limits) {}

  // From now on: what the turn has left. The sub-agents of one call get half of the tokens, in equal shares, as far as
  // their own limits reach.
  void allow(std::int64_t tokens, std::chrono::steady_clock::time_point deadline) {
    allowed_tokens_ = tokens;
    deadline_ = deadline;
  }
  // The tool `delegate`: up to four tasks side by side.
  std::vector<Tool> tools();
  // What sub-agents have used since the last call, for the turn that they belong to.
  models::TokenUsage take_usage() { return std::exchange(used_, {}); }

 private:
  struct Outcome {
    std::string answer, error;
    std::size_t rounds = 0;
    std::int64_t tokens = 0;
  };
  web::Task<web::Result<boost::json::value>> run_all(std::vector<std::string> tasks);
  web::Task<Outcome> run(std::string task, std::int64_t max_tokens);

  const ModelClient& model_;
  const Toolbox& toolbox_;
  const std::string prompt_;
  const DelegationLimits limits_;
  models::TokenUsage used_;
  std::int64_t allowed_tokens_ = std::numeric_limits<std::int64_t>::max();
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
};

}  // namespace agent_process
