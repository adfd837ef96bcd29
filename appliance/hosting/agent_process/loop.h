// The agent's loop: takes a message, calls the model, runs the requested tools, passes back their results, and answers.
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
  std::function<std::string()> skills;           // part of the system prompt; blocks, called on `files`
  std::chrono::milliseconds turn_time{240'000};  // for one message, including the wait in the queue
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
// Called after each tool call during a turn. Exceptions end the turn.
using Observer = std::function<web::Task<>(ToolEvent)>;

// Used from one io thread. All arguments must outlive it and running turns.
class Loop {
 public:
  Loop(LoopOptions, const ModelClient&, Toolbox&, Conversation&, const Memory&, Repository&,
       boost::asio::thread_pool& files);

  // Answers one message; concurrent ones are queued. All messages are stored in the conversation, a failed turn as a
  // note, and changed files are committed. Error messages are for the agent's user.
  web::Task<web::Result<Reply>> turn(std::string message, Observer = {});

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  web::Task<web::Result<Reply>> converse(Deadline, const Observer&);
  web::Task<web::Result<models::ChatAnswer>> ask(Deadline, bool with_tools);
  web::Task<std::vector<models::Message>> run_tools(const std::vector<models::ToolCall>&, Deadline, const Observer&);
  web::Task<> store(std::vector<models::Message>);
  web::Task<> commit(std::string message);
  std::string system_prompt() const;

  const LoopOptions options_;
  const ModelClient& model_;
  Toolbox& toolbox_;
  Conversation& conversation_;
  const Memory& memory_;
  Repository& repository_;
  boost::asio::thread_pool& files_;
  FifoMutex turns_;
};

}  // namespace agent_process
