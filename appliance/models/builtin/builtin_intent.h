// The requests that the builtin model understands: a few plain English sentences, each of which is one tool call.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace models {

struct Intent {
  std::string tool;  // a name of the agent's toolbox (agent_process/tools)
  boost::json::object arguments;
};

// Not set: the message asks for no tool. Understood, in any letter case and with "please" before it:
//   summarize https://...             a URL with nothing else said is this too
//   links of https://...
//   read | show | open [the] file X
//   write | save Y to [the] file X    Y may be quoted; X ends the message
//   list [the] files [in X]
//   remember [that] Y;  what do you remember [about Z];  forget Y
//   git status;  git log;  commit [with message] Y
std::optional<Intent> intent_of(std::string_view message);

// The text that a message asks to summarize: its own ("Summarize this: ..."), or that of earlier messages ("summarize
// the text above").
struct SummaryRequest {
  std::string_view text;  // of the message; empty: the earlier messages
};
std::optional<SummaryRequest> summary_request_of(std::string_view message);

// Whether the message asks about the identity of the model.
bool asks_for_identity(std::string_view message);

}  // namespace models
