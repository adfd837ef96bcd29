// The agent's loop: takes a message, calls the model, runs the requested tools, passes back their results, and answers.
#pragma once

#include <chrono>
#include <string>

#include "appliance/hosting/agent_process/conversation.h"
#include "appliance/hosting/agent_process/fifo_mutex.h"
#include "appliance/hosting/agent_process/memory.h"
#include "appliance/hosting/agent_process/model_client.h"
#include "appliance/hosting/agent_process/repository.h"
#include "appliance/hosting/agent_process/tools/toolbox.h"
#include "appliance/hosting/agent_process/turn_events.h"
#include "appliance/hosting/agent_process/turn_trace.h"
#include "appliance/hosting/runtime/agent_profile.h"

namespace agent_process {

struct LoopOptions {
  std::string agent_name;
  runtime::AgentProfile conduct;
  std::function<std::string()> skills;             // part of the system prompt; blocks, called on `files`
  std::chrono::milliseconds turn_time{1'200'000};  // for one message, including the wait in the queue
  std::size_t most_rounds = 12;                    // model calls; in the last one no tools are offered
  std::size_t most_calls = 8;                      // tool calls in one round; the rest are refused
  std::size_t window_bytes = 96 * 1024;            // of conversation sent to the model
  std::size_t most_waiting = 16;                   // messages in the queue
};

struct Reply {
  std::string text;          // of all rounds, with an empty line in between
  std::string model;         // the one that answered last
  models::TokenUsage usage;  // of all rounds
};

// Used from one io thread. All arguments must outlive it and running turns.
class Loop {
 public:
  Loop(LoopOptions, const ModelClient&, Toolbox&, Conversation&, const Memory&, Repository&,
       boost::asio::thread_pool& files);

  // Reports what turns did. Before the first one; the reporter must outlive them.
  void report_spans_with(const SpanReporter& reporter) { reporter_ = &reporter; }

  // Answers one message; concurrent ones are queued. All messages are stored in the conversation, of a failed or
  // cancelled turn what was said until then with a note, and changed files are committed. Error messages are for the
  // agent's user. Throws operation_aborted when cancelled.
  web::Task<web::Result<Reply>> turn(std::string message, TurnObserver, spans::TraceContext);
  web::Task<web::Result<Reply>> turn(std::string message) { return turn(std::move(message), nullptr, {}); }

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  // A turn in progress.
  struct Turn {
    const TurnObserver observer;
    TurnTrace trace;
    std::string text;   // what has been said so far
    std::string round;  // of it, by the model call in progress, which is not stored yet
  };

  web::Task<web::Result<Reply>> converse(Deadline, Turn&);
  web::Task<web::Result<models::ChatAnswer>> ask(Deadline, bool with_tools, Turn&);
  web::Task<std::vector<models::Message>> run_tools(const std::vector<models::ToolCall>&, Deadline, Turn&);
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
  const SpanReporter* reporter_ = nullptr;
  FifoMutex turns_;
};

}  // namespace agent_process
