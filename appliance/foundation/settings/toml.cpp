#include "appliance/foundation/settings/toml.h"

#include <algorithm>

#include "appliance/foundation/settings/settings.h"
#include "web/ascii.h"

namespace agentbox {

namespace {

bool is_bare(char c) { return web::is_alphanumeric(c) || c == '_' || c == '-'; }

// Reads one line from left to right.
class Line {
 public:
  Line(std::string_view text, int number) : rest_(text), number_(number) {}

  bool at_end() {
    skip_space();
    return rest_.empty() || rest_.front() == '#';
  }

  std::string key() {
    skip_space();
    if (rest_.starts_with('[')) fail("tables are not used here: write the settings as plain lines");
    std::string name = bare();
    if (name.empty()) fail("expected a setting's name");
    skip_space();
    if (!take('=')) fail("expected '=' after " + name);
    return name;
  }

  std::vector<std::string> value() {
    skip_space();
    if (!take('[')) return {scalar()};
    std::vector<std::string> values;
    for (skip_space(); !take(']'); skip_space()) {
      values.push_back(scalar());
      skip_space();
      if (!take(',') && !rest_.starts_with(']')) fail("expected ',' or ']' in the list");
    }
    return values;
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw UsageError("line " + std::to_string(number_) + ": " + why);
  }

 private:
  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string bare() {
    const auto end = std::ranges::find_if_not(rest_, is_bare);
    std::string word(rest_.begin(), end);
    rest_.remove_prefix(word.size());
    return word;
  }

  std::string scalar() {
    if (take('"')) return basic_string();
    if (take('\'')) return literal_string();
    std::string word = bare();
    const bool is_number = !word.empty() && web::all_digits(word);
    if (word != "true" && word != "false" && !is_number) fail("put quotes around the value: \"...\"");
    return word;
  }

  std::string literal_string() {
    const auto end = rest_.find('\'');
    if (end == std::string_view::npos) fail("the string has no closing quote");
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::string basic_string() {
    std::string text;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return text;
      text += c == '\\' ? escaped() : c;
    }
    fail("the string has no closing quote");
  }

  char escaped() {
    const char c = rest_.empty() ? '\0' : rest_.front();
    rest_.remove_prefix(rest_.empty() ? 0 : 1);
    switch (c) {
      case '"':
      case '\\':
        return c;
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'r':
        return '\r';
      default:
        fail("unknown escape after '\\'");
    }
  }

  std::string_view rest_;
  int number_;
};

}  // namespace

std::vector<TomlEntry> read_toml(std::istream& input) {
  std::vector<TomlEntry> entries;
  std::string text;
  for (int number = 1; std::getline(input, text); ++number) {
    if (text.ends_with('\r')) text.pop_back();
    Line line(text, number);
    if (line.at_end()) continue;
    TomlEntry entry{.key = line.key(), .values = line.value(), .line = number};
    if (!line.at_end()) line.fail("unexpected text after the value of " + entry.key);
    if (std::ranges::find(entries, entry.key, &TomlEntry::key) != entries.end()) line.fail(entry.key + " is set twice");
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string toml_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace agentbox
