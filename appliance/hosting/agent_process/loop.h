// The agent's mind: takes a message, asks the model, runs the tools it calls, feeds the results back, and answers.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "appliance/hosting/agent_process/conversation.h"
#include "appliance/hosting/agent_process/fifo_mutex.h"
#include "appliance/hosting/agent_process/memory.h"
#include "appliance/hosting/agent_process/model_client.h"
#include "appliance/hosting/agent_process/repository.h"
#include "appliance/hosting/agent_process/tools/toolbox.h"
#include "appliance/hosting/runtime/agent_profile.h"

namespace agent_process {

struct LoopOptions {
  std::string agent_name;
  runtime::AgentProfile conduct;
  std::chrono::milliseconds turn_time{240'000};  // for one message, waiting included
  std::size_t most_rounds = 12;                  // model calls; in the last one no tools are offered
  std::size_t most_calls = 8;                    // tool calls in one round; the rest are refused
  std::size_t window_bytes = 96 * 1024;          // of conversation sent to the model
  std::size_t most_waiting = 16;                 // messages in the queue
};

struct Reply {
  std::string text;
  std::string model;         // the one that answered last
  models::TokenUsage usage;  // of all rounds
};

struct ToolEvent {
  std::string name, arguments;
  bool failed = false;
};
// Told of each tool that has run, while the turn goes on. What it throws ends the turn.
using Observer = std::function<web::Task<>(ToolEvent)>;

// Used from one io thread. What it is given must outlive it, and outlive running turns.
class Loop {
 public:
  Loop(LoopOptions, const ModelClient&, const Toolbox&, Conversation&, const Memory&, Repository&,
       boost::asio::thread_pool& files);

  // One message, one answer; messages that come meanwhile wait their turn. Everything said is kept in the conversation,
  // a failed turn as a note, and files that changed are committed. Errors are sentences for the agent's user.
  web::Task<web::Result<Reply>> turn(std::string message, Observer = {});

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  web::Task<web::Result<Reply>> converse(Deadline, const Observer&);
  web::Task<web::Result<models::ChatAnswer>> ask(Deadline, bool with_tools);
  web::Task<std::vector<models::Message>> run_tools(const std::vector<models::ToolCall>&, Deadline, const Observer&);
  web::Task<> keep(std::vector<models::Message>);
  web::Task<> commit(std::string message);
  std::string system_prompt() const;

  const LoopOptions options_;
  const ModelClient& model_;
  const Toolbox& toolbox_;
  Conversation& conversation_;
  const Memory& memory_;
  Repository& repository_;
  boost::asio::thread_pool& files_;
  FifoMutex turnstile_;
};

}  // namespace agent_process
