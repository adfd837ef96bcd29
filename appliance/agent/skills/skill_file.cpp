#include "appliance/agent/skills/skill_file.h"

#include "appliance/agent/skills/yaml.h"
#include "web/json.h"
#include "web/utf8.h"

namespace agent_process {

namespace {

constexpr std::string_view fence = "---";

web::Error wrong(std::string_view why) { return web::invalid("SKILL.md: " + std::string(why)); }

// The first line of `text` without its end, which is removed from `text`.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  auto line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

struct Parts {
  std::string_view head, instructions;
};

web::Result<Parts> split(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (take_line(text) != fence) return wrong("the first line must be ---, and the front matter follow it");
  const auto* const begin = text.data();
  while (!text.empty()) {
    const auto* const line_begin = text.data();
    if (take_line(text) == fence) return Parts{.head = {begin, std::size_t(line_begin - begin)}, .instructions = text};
  }
  return wrong("the front matter has no end: a line ---");
}

// What an author says without effect on the box. Members of another form are left out.
std::vector<std::string> read_allowed_tools(const boost::json::object& head) {
  constexpr std::size_t max_tools = 50, max_tool_bytes = 200;
  std::vector<std::string> tools;
  const auto add = [&](std::string_view tool) {
    if (!tool.empty() && tools.size() < max_tools) tools.emplace_back(web::utf8_prefix(tool, max_tool_bytes));
  };
  const auto* value = head.if_contains("allowed-tools");
  if (!value) return tools;
  if (const auto* list = value->if_array()) {
    for (const auto& each : *list)
      if (each.is_string()) add(each.get_string());
  } else if (const auto* text = value->if_string()) {
    // Separated by spaces and commas, except within the parentheses of "Bash(git log:*)".
    std::size_t begin = 0, depth = 0;
    for (std::size_t at = 0; at <= text->size(); ++at) {
      const char c = at < text->size() ? (*text)[at] : ' ';
      if (c == '(') ++depth;
      if (c == ')' && depth > 0) --depth;
      if (at < text->size() && (depth > 0 || (c != ' ' && c != ','))) continue;
      add(std::string_view(*text).substr(begin, at - begin));
      begin = at + 1;
    }
  }
  return tools;
}

std::string read_compatibility(const boost::json::object& head) {
  constexpr std::size_t max_bytes = 500;
  return std::string(web::utf8_prefix(web::string_member(head, "compatibility"), max_bytes));
}

}  // namespace

bool is_skill_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name.front() == '-' || name.back() == '-') return false;
  if (name.find("--") != name.npos) return false;
  for (const char c : name)
    if (c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9')) return false;
  return true;
}

web::Result<SkillFile> parse_skill_file(std::string_view text) {
  if (text.size() > max_skill_file_bytes)
    return wrong("must be at most 24 KB: put the rest into further files of the skill");
  if (!web::is_utf8(text)) return wrong("must be UTF-8");
  const auto parts = split(text);
  if (!parts) return parts.error();
  const auto value = parse_yaml(parts->head, "SKILL.md: the front matter");
  if (!value) return value.error();
  if (!value->is_object()) return wrong("the front matter must have members, such as name: web-research");
  auto head = web::parse_value<SkillHead>(*value);
  if (!head) return wrong(head.error().message);
  if (!is_skill_name(head->name))
    return wrong("name must be at most 64 lower-case letters and digits, in words joined by hyphens");
  return SkillFile{.head = std::move(*head),
                   .allowed_tools = read_allowed_tools(value->get_object()),
                   .compatibility = read_compatibility(value->get_object()),
                   .instructions = std::string(parts->instructions)};
}

}  // namespace agent_process
