// The grammar of the command line as data, for the manual page and the shells' completions: written
// from what CLI11 knows of the commands, they cannot lag behind.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace agentbox::cli {

struct Argument {
  std::vector<std::string> names;  // with their dashes; empty if it is positional
  std::string positional;          // its name, if it is positional
  std::string help, type, group;
  bool takes_value = false, is_required = false;
  std::vector<std::string> choices;  // the only values, if they are known

  bool names_path() const;  // of a file or a folder
};

struct Grammar {
  std::string name, help;
  std::string examples;  // lines under --help
  std::vector<Argument> options, positionals;
  std::vector<Grammar> commands;
};

// Everything that --help shows; hidden commands and options are left out.
Grammar grammar_of(const CLI::App&);

}  // namespace agentbox::cli
