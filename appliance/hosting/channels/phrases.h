// What the box itself says to people on channels, in their language.
#pragma once

#include <string>
#include <string_view>

namespace channels {

// {} is replaced by the argument.
enum class Phrase {
  pairing,  // the code
  paired,   // the agent's name
  linked,   // the agent's name; for its owner
  daily_limit,
  not_running,  // the agent's name
  interrupted,
  failed,
  stopped,
  nothing_to_stop,
  new_conversation,
  status,  // "running" and the like
  model,
  help,  // the agent's name
  files_refused
};

// `language` as providers have it: "de", "de-AT"; English for those that the box does not speak.
std::string phrase(Phrase, std::string_view language, std::string_view argument = {});

}  // namespace channels
