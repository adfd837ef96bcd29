// The agent's loop: takes a message, calls the model, runs the requested tools, passes back their results, and answers.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "appliance/agent/conversations.h"
#include "appliance/agent/fifo_mutex.h"
#include "appliance/agent/memory.h"
#include "appliance/agent/model_client.h"
#include "appliance/agent/pictures.h"
#include "appliance/agent/prompt.h"
#include "appliance/agent/repository.h"
#include "appliance/agent/titles.h"
#include "appliance/agent/token_scale.h"
#include "appliance/agent/tools/toolbox.h"
#include "appliance/agent/turn_events.h"
#include "appliance/agent/turn_guard.h"
#include "appliance/agent/turn_journal.h"
#include "appliance/agent/turn_trace.h"
#include "appliance/runtime/agent_profile.h"

namespace agent_process {

struct LoopOptions {
  std::string agent_name;
  runtime::AgentProfile conduct;
  // Parts of the system prompt. `workspace` blocks and is called on `files`; `clock` says the owner's time.
  std::function<WorkspaceFacts()> workspace;
  std::function<web::Task<std::string>()> clock;
  std::function<web::Task<ModelFacts>(std::string model)> model_facts;
  // Pictures of the owner's messages, read and kept in the workspace; these block and are called on `files`.
  // keep_picture returns the path of a picture that is given inline.
  ReadPicture read_picture;
  std::function<web::Result<std::string>(std::string_view url)> keep_picture;
  // Tells the owner something outside of the conversation.
  std::function<web::Task<>(std::string notice)> notify;
  // Starts the work on a title, and returns.
  std::function<void(Beginning)> make_title;
  // Says to sub-agents what the turn has left, before tools run.
  std::function<void(std::int64_t tokens, std::chrono::steady_clock::time_point deadline)> allow_delegation;
  // What sub-agents of the turn have used since the last call.
  std::function<models::TokenUsage()> delegated_usage;
  std::filesystem::path forks_folder{};            // empty: no forks
  std::chrono::milliseconds turn_time{1'200'000};  // for one message, including the wait in the queue
  // Of a turn: model calls, and tokens of all of them. In the last call no tools are offered, and the agent sums up; so
  // it does when a tenth of the time is left.
  std::size_t max_rounds = 50;
  std::int64_t max_tokens = 1'000'000;
  std::size_t max_peer_rounds = 12;  // the same of a peer's turn
  std::size_t max_calls = 8;         // tool calls in one round; the rest are refused
  // Of conversation sent to the model: tokens until the context of the model that answers is known, and bytes at most,
  // of which four make at least a token (token_scale.h).
  std::int64_t window_tokens = 24'000;
  std::size_t max_window_bytes = 400 * 1024;
  std::size_t max_waiting = 16;  // messages in the queue
  GuardLimits guard{};
};

struct Reply {
  std::string text;          // of all rounds, with an empty line in between
  std::string model;         // the one that answered last
  models::TokenUsage usage;  // of all rounds
};

// What going back undoes.
struct Rewound {
  std::vector<std::string> files;  // that change, at most 1,000
  std::size_t turns = 0;           // of all conversations of the owner, from the point on
};

// Used from one io thread. All arguments must outlive it and running turns.
class Loop {
 public:
  Loop(LoopOptions, ModelClient&, Toolbox&, Conversations&, Memory&, Repository&, boost::asio::thread_pool& files);

  // Reports what turns did. Before the first one; the reporter must outlive them.
  void report_spans_to(const SpanReporter& reporter) { reporter_ = &reporter; }

  // Keeps points that the owner can go back to. Before the first turn; the journal must outlive it.
  void keep_points_in(TurnJournal& journal) { journal_ = &journal; }
  // Makes files, memory and the turn's conversation what they were before the turn that this message began, once no
  // turn runs; `preview` only says what that would change. What files were meanwhile stays in the git history.
  // not_found when there is no point for the message.
  web::Task<web::Result<Rewound>> rewind(std::string message, bool preview);
  // Writes files, memory and conversation as rewind() would make them into forks_folder/<name> of the state folder, in
  // the form of a workspace whose first conversation it is. Nothing of peers or of other conversations is in it.
  web::Task<web::Result<void>> fork(std::string message, std::string name);
  // Works with the memory of a peer while no turn does. `work` blocks.
  web::Task<web::Result<std::vector<Fact>>> with_memory_of(std::string peer,
                                                           std::function<web::Result<std::vector<Fact>>(Memory&)> work);

  // Answers one message; concurrent ones are queued. What is said is stored in the conversation of the prompt, of a
  // failed or cancelled turn what was said until then with a note, and files that the owner's turns change are
  // committed. Error messages are for the agent's user. Throws operation_aborted when cancelled.
  web::Task<web::Result<Reply>> turn(Prompt, TurnObserver, spans::TraceContext);
  web::Task<web::Result<Reply>> turn(std::string message) { return turn({.text = std::move(message)}, nullptr, {}); }

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  // A turn in progress.
  struct Turn {
    bool is_for(Audience of) const { return prompt.audience == of; }

    const Prompt prompt;
    std::shared_ptr<Conversation> conversation;  // null: nothing is stored
    std::vector<std::string> pictures;           // of the message, with those that were given inline
    std::shared_ptr<PeerContext> peer;           // null: the turn is the owner's, or a peer's without a conversation
    const TurnObserver observer;
    TurnTrace trace;
    TurnGuard guard;
    std::string text;          // what has been said so far
    std::string round;         // of it, by the model call in progress, which is not stored yet
    std::string time;          // when it began
    std::int64_t counted = 0;  // tokens of its last prompt; 0: not counted, because it had pictures
  };

  web::Task<web::Result<Reply>> converse(Deadline, Turn&);
  web::Task<web::Result<models::ChatAnswer>> ask(Deadline, bool is_last, Turn&);
  // Shows who follows the turn that it waits for the model.
  static ModelClient::OnPlace place_reporter(const Turn&);
  // Ends the turn for the guard's reason: it becomes the end of the answer, and a notice where no owner reads it.
  web::Task<Reply> stop_by_guard(GuardStop, Reply, Turn&);
  // Replaces the older part of a conversation that nearly fills the window by a summary, after what is worth keeping
  // has gone to memory. If the model fails, the turn goes on with what fits.
  web::Task<> compact(Deadline, const Turn&);
  // Follows the context of the model that answered, and what it reports of a prompt that was counted as `counted`.
  web::Task<> measure_window(const models::ChatAnswer&, std::int64_t counted);
  // Of conversation that may be sent, by context_tokens.
  std::int64_t window() const;
  bool is_last_round(std::size_t round, const Reply&, Deadline, const Turn&) const;
  web::Task<std::vector<models::Message>> run_tools(const std::vector<models::ToolCall>&, Deadline, Turn&);
  // The calls from `first` on that run side by side: reading ones, or a single one of another kind.
  struct Ran {
    Toolbox::Result result;
    store::Time started_at{};
    std::chrono::steady_clock::duration duration{};
  };
  web::Task<Ran> run_tool(const models::ToolCall&, std::size_t number, Deadline, const Turn&);
  web::Task<std::vector<Ran>> run_side_by_side(const std::vector<models::ToolCall>&, std::size_t first, std::size_t end,
                                               Deadline, const Turn&);
  // `divisor`: sends only that part of what the window has room for; `tools`: of the request.
  web::Task<std::vector<models::Message>> context(const Turn&, std::int64_t divisor, bool is_last,
                                                  std::vector<models::ToolDefinition> tools);
  // Opens the turn's conversation, and notes the point before the turn. Blocks.
  void open(Turn&) const;
  void note_point(const Turn&) const;
  web::Result<Rewound> go_back(const std::string& message, bool preview);
  web::Result<void> write_fork(const std::string& message, const std::filesystem::path& folder);
  web::Task<> add_pictures(std::vector<models::Message>&, const Turn&, bool may_see);
  static bool has_tools(const Turn& turn) { return turn.is_for(Audience::owner) || turn.peer; }
  Toolbox& toolbox_of(const Turn& turn) const { return turn.peer ? turn.peer->toolbox() : toolbox_; }
  Memory& memory_of(const Turn& turn) const { return turn.peer ? turn.peer->memory() : memory_; }
  web::Task<> store(const Turn&, std::vector<models::Message>);
  web::Task<> commit(std::string message);
  PromptFacts facts(const Turn&, bool is_last) const;

  const LoopOptions options_;
  ModelClient& model_;
  Toolbox& toolbox_;
  Conversations& conversations_;
  Memory& memory_;
  Repository& repository_;
  boost::asio::thread_pool& files_;
  const SpanReporter* reporter_ = nullptr;
  TurnJournal* journal_ = nullptr;
  FifoMutex turns_;
  SpendRate spend_rate_;
  std::string measured_model_;  // the one that the next two are of
  std::optional<std::int64_t> context_tokens_;
  TokenScale scale_;
  std::int64_t prompt_tokens_ = 0;  // of the last system prompt and its tools, counted
};

}  // namespace agent_process
