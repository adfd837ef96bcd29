// What an agent wants to run, and the shell's text that runs it. The text is the one form in which a command reaches
// the sandbox, whichever way it is started.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "appliance/runtime/commands.h"

namespace commands {

struct Order {
  std::vector<std::string> arguments;  // of a program; empty: `shell`
  std::string shell;                   // text of a shell
  // A shell that is typed into; it has neither arguments nor a text, and lasts until its end.
  std::optional<runtime::TerminalSize> terminal;
  std::string folder;  // in the workspace; empty: the workspace
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<std::string> input;
  std::chrono::seconds time{60};  // then it is killed
  // It ends when it is not asked about for half a minute. Otherwise its input stays open.
  bool is_attended = true;
  std::string title() const;  // one line, for lists
};

// One word of a shell, whatever it holds.
std::string shell_word(std::string_view);
// `authority`: the certificate (PEM) of the proxy's authority; empty: there is no proxy.
std::string text_of(const Order&, const std::string& authority);

// With U+FFFD in the place of bytes that are not UTF-8. `is_last` false: leaves a code point that may be incomplete at
// the end, and takes away what it has read.
std::string take_utf8(std::string& bytes, bool is_last);

}  // namespace commands
