// The part of TOML a config file of ours needs: `key = value` lines with strings, numbers, booleans, and arrays of them
// on one line; comments. (CLI11's own reader splits quoted strings at spaces and cuts them at '#'.)
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace agentbox {

struct TomlEntry {
  std::string key;
  std::vector<std::string> values;  // one, unless it is an array
  int line = 0;
};

// Throws UsageError with "line N: ..." for what is not such a line, and for a key that occurs twice.
std::vector<TomlEntry> read_toml(std::istream&);
// A basic string with its quotes.
std::string toml_string(const std::string&);

}  // namespace agentbox
