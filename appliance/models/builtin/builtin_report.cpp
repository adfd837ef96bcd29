#include "appliance/models/builtin/builtin_report.h"

#include <boost/json.hpp>
#include <map>

#include "appliance/models/providers/wire_json.h"
#include "summarizer/sentences.h"
#include "web/ascii.h"
#include "web/json.h"

namespace models {

namespace json = boost::json;

namespace {

constexpr std::size_t quoted_file_bytes = 1'500, listed_entries = 40, summary_sentences = 5;

std::vector<std::string> strings_in(const json::object& object, std::string_view name) {
  std::vector<std::string> strings;
  const auto* value = object.if_contains(name);
  if (!value || !value->is_array()) return strings;
  for (const auto& entry : value->get_array()) {
    if (entry.is_string()) strings.emplace_back(entry.get_string());
  }
  return strings;
}

std::string bullets(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < listed_entries; ++i) text += "\n- " + lines[i];
  if (lines.size() > listed_entries) text += "\n- and " + std::to_string(lines.size() - listed_entries) + " more";
  return text;
}

// One line for each object of an array, made of the named members.
std::vector<std::string> lines_of(const json::object& result, std::string_view array,
                                  std::initializer_list<std::string_view> members) {
  std::vector<std::string> lines;
  const auto* value = result.if_contains(array);
  if (!value || !value->is_array()) return lines;
  for (const auto& entry : value->get_array()) {
    const auto* object = entry.if_object();
    if (!object) continue;
    std::string line;
    for (const auto member : members) {
      const auto text = web::string_member(*object, member);
      if (!text.empty()) line.append(line.empty() ? "" : " ").append(text);
    }
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::string listing(std::string_view heading, const std::vector<std::string>& lines, std::string_view none) {
  return lines.empty() ? std::string(none) : std::string(heading) + bullets(lines);
}

std::string report_summary(const json::object&, const json::object& page) {
  std::string text = web::string_member(page, "description") + "\n";
  for (const auto& paragraph : strings_in(page, "paragraphs")) text += paragraph + "\n";
  const auto title = web::string_member(page, "title");
  const auto best = summarizer::best_sentences(text, summary_sentences, title);
  auto heading = (title.empty() ? std::string("The page") : title) + " (" + web::string_member(page, "url") + ")";
  if (!best.empty()) return heading + ":" + bullets(best);
  const auto headings = strings_in(page, "headings");
  return heading +
         (headings.empty() ? " holds no text that I can summarize." : " holds only headings:" + bullets(headings));
}

std::string report_links(const json::object&, const json::object& page) {
  return listing("Links of " + web::string_member(page, "url") + ":", lines_of(page, "links", {"text", "href"}),
                 "The page has no links.");
}

// read_file puts a number and a tab before each line.
std::string without_numbers(std::string_view numbered) {
  std::string text;
  while (!numbered.empty()) {
    const auto line = web::first_line(numbered);
    numbered.remove_prefix(std::min(numbered.size(), line.size() + 1));
    const auto tab = line.find_first_not_of("0123456789");
    text += tab != line.npos && tab > 0 && line[tab] == '\t' ? line.substr(tab + 1) : line;
    if (!numbered.empty()) text += '\n';
  }
  return text;
}

std::string report_file(const json::object& arguments, const json::object& file) {
  const auto path = web::string_member(arguments, "path");
  const auto content = without_numbers(web::string_member(file, "content"));
  if (content.empty()) return path + " is empty.";
  if (content.size() <= quoted_file_bytes) return path + ":\n\n" + content;
  return path + " (" + std::to_string(content.size()) +
         " bytes), in its own words:" + bullets(summarizer::best_sentences(content, summary_sentences));
}

std::string report_written(const json::object& arguments, const json::object&) {
  return "I wrote " + std::to_string(web::string_member(arguments, "content").size()) + " bytes to " +
         web::string_member(arguments, "path") + ".";
}

std::string report_files(const json::object&, const json::object& folder) {
  return listing("Files:", lines_of(folder, "entries", {"path"}), "There are no files yet.");
}

std::string report_remembered(const json::object& arguments, const json::object&) {
  return "I will remember: " + web::string_member(arguments, "text");
}

std::string report_memories(const json::object&, const json::object& found) {
  return listing("I remember:", lines_of(found, "memories", {"text"}), "I remember nothing about this.");
}

std::string report_forgotten(const json::object&, const json::object& result) {
  return listing("I forgot:", lines_of(result, "forgotten", {"text"}), "There was nothing to forget about this.");
}

std::string report_status(const json::object&, const json::object& result) {
  return listing("Changed since the last commit:", lines_of(result, "changes", {"status", "path"}),
                 "Nothing has changed since the last commit.");
}

std::string report_log(const json::object&, const json::object& result) {
  return listing("Newest commits:", lines_of(result, "commits", {"short_hash", "date", "subject"}),
                 "There are no commits yet.");
}

std::string report_commit(const json::object&, const json::object& result) {
  const auto hash = web::string_member(result, "hash");
  return hash.empty() ? "There was nothing to commit." : "Committed as " + hash.substr(0, 7) + ".";
}

using Report = std::string (*)(const json::object& arguments, const json::object& result);
const std::map<std::string_view, Report> reports{{"summarize_page", report_summary}, {"extract_page", report_links},
                                                 {"read_file", report_file},         {"write_file", report_written},
                                                 {"list_files", report_files},       {"remember", report_remembered},
                                                 {"recall", report_memories},        {"forget", report_forgotten},
                                                 {"git_status", report_status},      {"git_log", report_log},
                                                 {"git_commit", report_commit}};

json::object object_of(std::string_view text) {
  boost::system::error_code error;
  auto value = json::parse(text, error);
  return !error && value.is_object() ? std::move(value.get_object()) : json::object{};
}

}  // namespace

std::string report_tool_result(std::string_view tool, std::string_view arguments, std::string_view result) {
  const auto outcome = object_of(result);
  if (const auto error = web::string_member(outcome, "error"); !error.empty()) return "That did not work: " + error;
  if (const auto report = reports.find(tool); report != reports.end() && !outcome.empty()) {
    return report->second(object_of(arguments), outcome);
  }
  const auto best = summarizer::best_sentences(result, summary_sentences);
  return best.empty() ? "The tool brought nothing back." : "The tool says:" + bullets(best);
}

}  // namespace models
