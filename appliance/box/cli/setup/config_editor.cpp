#include "appliance/box/cli/setup/config_editor.h"

#include <sstream>

namespace agentbox::cli {

namespace {

// The key of a line `key = value`; empty for any other line.
std::string key_in(const std::string& line) {
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos || line[begin] == '#') return {};
  const auto end = line.find_first_of(" \t=", begin);
  const auto equals = line.find_first_not_of(" \t", end);
  return equals != std::string::npos && line[equals] == '=' ? line.substr(begin, end - begin) : std::string();
}

}  // namespace

std::string with_settings(const std::string& text, std::map<std::string, std::string> values) {
  std::string edited;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const auto found = values.find(key_in(line)); found != values.end()) {
      line = found->first + " = " + found->second;
      values.erase(found);
    }
    edited += line + "\n";
  }
  for (const auto& [key, value] : values) edited += key + " = " + value + "\n";
  return edited;
}

}  // namespace agentbox::cli
