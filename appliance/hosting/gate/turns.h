// The turns of agents in progress, and whose texts they have: the owner's only, or also those of others. The box knows
// it because it served the page, message or tool result; no word of the agent makes a turn clean.
//
// Calls of an agent are attributed to all of its turns in progress, which are usually one. A call outside of every turn
// counts as one with texts of others.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/chat/records.h"
#include "appliance/hosting/gate/records.h"
#include "store/store.h"
#include "web/task.h"

namespace gate {

struct Taint {
  std::vector<std::string> sources;  // empty: the owner's words only
  std::string conversation;          // of the turn that began first, which is the one at work; empty: there is none
  bool is_foreign() const { return !sources.empty(); }
};

// Files that an agent's tools are about to read and write, by their paths in its workspace.
struct FileUse {
  std::vector<std::string> reads, writes;
  bool reads_memory = false, writes_memory = false, reads_history = false;
};

// Whose text begins a turn of this conversation; empty: the owner's.
std::string source_of(const chat::Conversation&);

// Thread-safe. Must not outlive the store.
class TurnTracker {
 public:
  class Running;

  explicit TurnTracker(store::System system) : system_(std::move(system)), turns_(std::make_shared<InProgress>()) {}

  // A turn of the agent begins; it ends with the returned object. `source`: whose the text is that begins it, empty:
  // the owner's.
  std::shared_ptr<Running> begin(store::UserId owner, std::string agent, std::string conversation, std::string source);
  // The agent is served a text of others. The mark outlives an end of the process when this returns. Blocks briefly.
  void taint(std::string_view agent, std::string_view source);
  // The same for a conversation of the agent in which there is no turn yet.
  void taint_conversation(store::UserId owner, std::string_view agent, std::string_view conversation,
                          std::string_view source);
  // The same for a file or folder of its workspace.
  void taint_file(store::UserId owner, std::string_view agent, std::string_view path, std::string_view source);
  // Passes taint on from files to the turn and from the turn to files, and returns what then is true of the turn.
  Taint use(store::UserId owner, std::string_view agent, const FileUse&);
  Taint of(std::string_view agent) const;

  // What is marked, in the form of Mark::id without the agent.
  std::vector<Mark> marked(store::UserId owner, std::string_view agent, std::size_t limit) const;
  // The owner vouches for one of them, or with an empty name for all. Turns in progress keep what they have.
  web::Task<> clear(store::UserId owner, std::string agent, std::string what);
  // A clone has the files and the memory of its parent, and one of its conversations: what is marked there is marked
  // for it, too.
  web::Task<> inherit(store::UserId owner, std::string parent, std::string conversation, std::string clone,
                      std::string its_conversation);
  // For Events::agent_removed.
  web::Task<> forget(store::UserId owner, std::string agent) { return clear(owner, std::move(agent), {}); }

 private:
  struct Turn {
    store::UserId owner;
    std::string agent, conversation;
    std::vector<std::string> sources;
  };
  struct InProgress {
    mutable std::mutex mutex;             // protects what follows
    std::map<std::uint64_t, Turn> turns;  // in the order in which they began
    std::uint64_t last = 0;
  };

  void mark(store::UserId, std::string_view agent, std::string_view what, std::string_view source) const;
  std::string source_of_file(store::UserId, std::string_view agent, std::string_view path) const;

  store::System system_;
  std::shared_ptr<InProgress> turns_;
};

class TurnTracker::Running {
 public:
  Running(std::shared_ptr<InProgress> turns, std::uint64_t number) : turns_(std::move(turns)), number_(number) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

 private:
  const std::shared_ptr<InProgress> turns_;
  const std::uint64_t number_;
};

}  // namespace gate
