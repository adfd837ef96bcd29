// The gate: routes that agents' tokens open ask it before they carry out an effect. What the rules neither allow nor
// refuse waits as a question to the owner, is carried out here once it is allowed, and the conversation then goes on
// with the result.
//
// For each kind of act there is one executor, which a module registers while it is built. An act has one effect: its
// question is stored before anything else, and its state before and after it is carried out.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/periodic.h"
#include "appliance/foundation/task_group.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/hosting/gate/records.h"
#include "appliance/hosting/gate/rules.h"
#include "appliance/hosting/gate/turns.h"
#include "appliance/identity/audit/audit.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace gate {

inline constexpr std::size_t max_waiting = 100;  // questions of one owner

// What an agent is about to do.
struct Act {
  store::UserId owner = 0;
  std::string agent;
  std::string kind;  // of the executor
  Effect effect = Effect::outward;
  std::string target;       // receiver, tool or command, at most 200 bytes: what an "always" is about
  std::string title;        // a sentence that says exactly what would happen; cut at 300 bytes
  boost::json::object act;  // enough for the owner to see and for the executor to carry it out
  std::string reason{};     // in the agent's words; cut at 1,000 bytes
  std::string key{};        // the caller's name for this act: asked once. Empty: it is a new one
};

struct Verdict {
  Decision decision = Decision::ask;
  std::optional<Ask> ask;  // the question, stored; of Decision::ask only
};

// Carries out what an owner has allowed.
struct Executor {
  // Returns the result, which the agent gets as text. Runs on the home thread.
  std::function<web::Task<web::Result<boost::json::object>>(Ask)> run;
  // Whether run() has one effect for one Ask::id however often it is called. If not, an act during which the box ended
  // is not repeated, and its state becomes unknown.
  bool is_repeatable = false;
  // In the place of run(): decides within the change that stores the answer, also for `refused` and `expired`. May set
  // the result. Its error leaves the question as it is.
  std::function<web::Result<void>(store::Change&, Ask&, bool is_allowed)> settle{};
  // For questions that ask for more than yes or no: whether the content of a yes is complete. Without this there is no
  // content. Such a question is asked each time, so that no answer becomes a rule.
  std::function<web::Result<void>(const Ask&, const boost::json::object& content)> check_content{};
  // Explains a change of settle() that was not committed; nothing: it is tried again.
  std::function<std::optional<web::Error>(const store::Outcome&, const Ask&)> refusal{};
};

// How long an "always" lasts, and what for.
struct Always {
  bool is_for_target = true;         // else for every act of this effect
  bool is_for_conversation = false;  // else for all conversations of the agent
  std::optional<store::Time> until{};
};

struct Answer {
  bool is_allowed = false;
  std::string by;      // as in Ask::answered_by
  std::string note{};  // to the agent
  std::optional<boost::json::object> content{};
  std::optional<Always> always{};
  bool may_be_repeated = true;  // the same answer again is no conflict
};

struct AskPage {
  std::size_t limit = 50;
  std::string before{};  // id of the last one of the page before
  std::string agent{};   // empty: all
  bool is_waiting = false;
};

// The parts of the box that it uses; they must outlive it.
struct GateSources {
  store::System system;
  TurnTracker& turns;
  chat::Chat& chat;
  audit::Audit& audit;
  // Brings a question to its owner. The token opens it on the page /ask without a session.
  std::function<web::Task<>(Ask, std::string token)> tell_owner;
  std::string link_key;  // 32 bytes: signs the tokens
};

// Callable from every thread, except for start() and stop(): on the home thread.
class Gate {
 public:
  Gate(GateSources, boost::asio::io_context& home);

  // Of this kind of act. Before anything is served.
  void add_executor(std::string kind, Executor);

  // What the rules say of this act, by the turn that the agent is in. Nothing is stored.
  Decision decide(const Act&) const;
  // The same; a question is stored when it returns, and so is the earlier one of the same key. forbidden, ACT_REFUSED:
  // the rules or the owner refuse it. too_many: the owner has max_waiting questions.
  web::Task<web::Result<Verdict>> check(Act);
  // Adds a question to a change of another service, for acts that wait by its own rules. tell() follows its commit.
  // `conversation`: where the turn goes on, if it is another one than that of the turn at work.
  Ask ask_in(store::Change&, Act, std::optional<std::string> conversation = {}) const;
  web::Task<> announce(Ask);

  // not_found; conflict, ASK_ANSWERED, unless it waits or has the same answer; the executor's errors of settle().
  web::Task<web::Result<Ask>> answer(store::UserId owner, std::string id, Answer);
  std::optional<Ask> find(store::UserId owner, std::string_view id) const;
  std::optional<Ask> find_key(std::string_view kind, std::string_view key) const;
  // Newest first.
  std::vector<Ask> list(store::UserId owner, const AskPage&) const;
  // The question that a link of a mail is about; nothing for a wrong one.
  std::optional<Ask> of_link(std::string_view token) const;
  std::string link_token(const Ask&) const;
  // For Events::agent_removed: questions of the agent, which then nobody answers.
  web::Task<> forget(store::UserId owner, std::string agent);

  web::Task<> start();
  web::Task<> stop();

  const store::System& system() const { return sources_.system; }
  TurnTracker& turns() { return sources_.turns; }

 private:
  const Executor* executor_of(const Ask&) const;
  Ask new_ask(Act, const Taint&) const;
  web::Task<> look();
  void schedule(const Ask&);
  web::Task<> advance(Ask);
  web::Task<Ask> carry_out(Ask);
  web::Task<> expire(const Ask&);
  web::Task<> tell(Ask);
  web::Task<> note(const Ask&, std::string act, std::string outcome, std::string by);

  const GateSources sources_;
  std::map<std::string, Executor, std::less<>> executors_;
  agentbox::TaskGroup tasks_;
  agentbox::Periodic rounds_;
  std::atomic<bool> has_pending_ = true;
  // Used on the home thread only.
  std::map<std::string, std::chrono::steady_clock::time_point> under_way_;  // by id; max(): at work, else not before
};

// What an agent reads in the place of a result: that the act waits for its owner.
boost::json::object waiting_answer(const Ask&);

}  // namespace gate
