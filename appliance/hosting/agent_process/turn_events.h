// What happens during an agent's turn, as it happens.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <variant>

namespace agent_process {

// A piece of the agent's answer.
struct TextPiece {
  std::string text;
  std::string model;  // the one that wrote it, as far as it is known
};

struct ToolCalled {
  std::string id, name, arguments;  // JSON object as text, as the model wrote it
};

struct ToolReturned {
  std::string id, name;
  std::string result;  // JSON object as text, at most 32 KB
  bool failed = false;
  std::chrono::milliseconds duration{0};
};

using TurnEvent = std::variant<TextPiece, ToolCalled, ToolReturned>;
// Must not throw.
using TurnObserver = std::function<void(TurnEvent)>;

}  // namespace agent_process
