// What starts an agent's turn, and what happens during it, as it happens.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "appliance/models/chat.h"
#include "appliance/models/queue/fair_queue.h"

namespace agent_process {

// A peer is a caller who is not the agent's owner. Their turn sees their own conversation alone: none of the owner's
// conversations, memory, files, skills or tools, and it leaves nothing behind in them. Anyone is a caller whom nobody
// knows: a peer without memory, files and tools of its own.
enum class Audience { owner, peer, anyone };

struct Prompt {
  std::string text;
  Audience audience = Audience::owner;
  // The conversation's name (conversations.h). Empty: the owner's first one; of a peer's turn nothing is stored then.
  std::string conversation;
  std::string peer;  // the name of the peer's memory; of peers with a conversation only
  // The conversation begins again with these.
  std::vector<models::Message> earlier;
  models::WaitClass wait_class = models::WaitClass::person;  // who waits for the turn
  std::string channel = {};                                  // where it comes from: console, mail, ...; empty: unknown
  std::string model = {}, effort = {};                       // for this turn; empty: the agent's own
  std::string message = {};                // the box's id of it: the owner can go back to before this turn
  std::vector<std::string> pictures = {};  // files of the workspace
  std::vector<std::string> inlined = {};   // further ones as data: URLs, which become files
  bool begins = false;                     // `earlier` replaces what the conversation has
  bool wants_title = false;                // the conversation begins with this turn, and has no title yet
  bool is_unguarded = false;               // the owner allows what the guard would stop (turn_guard.h)
};

// A piece of the agent's answer.
struct TextPiece {
  std::string text;
  std::string model;  // the one that wrote it, as far as it is known
};

struct ToolCalled {
  std::string id, name, arguments;  // JSON object as text, as the model wrote it
};

// What a tool shows while it runs.
struct ToolWrote {
  std::string id, name, text;
};

struct ToolReturned {
  std::string id, name;
  std::string result;  // JSON object as text, at most 32 KB
  bool failed = false;
  std::chrono::milliseconds duration{0};
};

// The guard has stopped the turn; the text has the reason.
struct GuardStopped {
  std::string code;  // see GuardStop
};

// The turn waits in the queue before its model.
struct WaitsForModel {
  models::FairQueue::Place place;  // number 0: it does not wait any more
};

using TurnEvent = std::variant<TextPiece, ToolCalled, ToolWrote, ToolReturned, GuardStopped, WaitsForModel>;
// Must not throw.
using TurnObserver = std::function<void(TurnEvent)>;

}  // namespace agent_process
