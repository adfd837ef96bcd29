// Files of the workspace: read, written, listed, found, searched, moved and deleted. Changes of parts: edit_tools.cpp.
#include <boost/json.hpp>

#include "appliance/agent/tools/lines.h"
#include "appliance/agent/tools/toolbox.h"
#include "appliance/files/explorer/pattern.h"
#include "appliance/files/explorer/search.h"
#include "web/utf8.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t default_matches = 50, max_matches = 200;
constexpr std::size_t max_found_bytes = 24'000;  // of all lines that a search returns

using Path = web::Prose<1, 1'024>;
using Folder = web::Prose<0, 1'024>;
using Glob = web::Text<1, 200>;

struct ReadFile {
  Path path;
  std::optional<web::Integer<1, 1'048'577>> from_line;
  std::optional<web::Integer<1, max_part_lines>> lines;
};
BOOST_DESCRIBE_STRUCT(ReadFile, (), (path, from_line, lines))

struct WriteFile {
  Path path;
  web::Prose<0, 1'048'576> content;
};
BOOST_DESCRIBE_STRUCT(WriteFile, (), (path, content))

struct ListFiles {
  std::optional<Folder> path;
};
BOOST_DESCRIBE_STRUCT(ListFiles, (), (path))

struct FindFiles {
  Glob pattern;
  std::optional<Folder> path;
};
BOOST_DESCRIBE_STRUCT(FindFiles, (), (pattern, path))

struct SearchFiles {
  web::Text<1, 500> text;
  std::optional<bool> regexp, ignore_case;
  std::optional<Folder> path;
  std::optional<Glob> files;
  std::optional<web::Integer<1, max_matches>> limit;
};
BOOST_DESCRIBE_STRUCT(SearchFiles, (), (text, regexp, ignore_case, path, files, limit))

struct MoveFile {
  Path from, to;
};
BOOST_DESCRIBE_STRUCT(MoveFile, (), (from, to))

struct DeleteFile {
  Path path;
};
BOOST_DESCRIBE_STRUCT(DeleteFile, (), (path))

web::Result<json::value> read_lines(const Workspace& workspace, const ReadFile& asked) {
  const auto content = workspace.read(asked.path);
  if (!content) return content.error();
  auto part = numbered_lines(*content, asked.from_line ? asked.from_line->value : 1,
                             asked.lines ? asked.lines->value : max_part_lines);
  if (!part) return part.error();
  json::object result{{"path", asked.path}, {"size", content->size()}};
  for (auto& [name, value] : *part) result[name] = value;
  return json::value(std::move(result));
}

web::Result<json::value> write(const Workspace& workspace, const WriteFile& asked) {
  if (const auto written = workspace.write(asked.path, asked.content); !written) return written.error();
  return json::value(json::object{{"path", asked.path}, {"size", asked.content.size()}});
}

json::value listed(const Workspace::Listing& listing) {
  json::array entries;
  for (const auto& entry : listing.entries) entries.push_back({{"path", entry.path}, {"size", entry.size}});
  json::object result;
  result["entries"] = std::move(entries);
  if (listing.truncated) result["truncated"] = true;
  return result;
}

std::string_view folder_or_all(const std::optional<Folder>& path) {
  return path ? std::string_view(*path) : std::string_view();
}

web::Result<json::value> list(const Workspace& workspace, const ListFiles& asked) {
  const auto listing = workspace.list(folder_or_all(asked.path));
  if (!listing) return listing.error();
  return listed(*listing);
}

web::Result<json::value> find(const Workspace& workspace, const FindFiles& asked) {
  const auto pattern = explorer::Pattern::compile_glob(asked.pattern, "pattern");
  if (!pattern) return pattern.error();
  const auto listing = workspace.find(folder_or_all(asked.path), *pattern);
  if (!listing) return listing.error();
  return listed(*listing);
}

web::Result<json::value> search(const Workspace& workspace, const SearchFiles& asked) {
  const explorer::TextQuery query{.text = asked.text,
                                  .is_regexp = asked.regexp.value_or(false),
                                  .ignores_case = asked.ignore_case.value_or(false),
                                  .path = std::string(folder_or_all(asked.path)),
                                  .files = asked.files ? std::string(*asked.files) : std::string(),
                                  .text_field = "text",
                                  .matches = asked.limit ? std::size_t(asked.limit->value) : default_matches};
  const auto found = explorer::search(workspace.place(), query);
  if (!found) return found.error();
  json::array matches;
  std::size_t bytes = 0;
  bool is_truncated = found->is_truncated;
  for (const auto& match : found->matches) {
    bytes += match.path.size() + match.text.size();
    if (bytes > max_found_bytes) {
      is_truncated = true;
      break;
    }
    matches.push_back({{"path", match.path}, {"line", match.line}, {"text", match.text}});
  }
  json::object result;
  result["matches"] = std::move(matches);
  result["searched_files"] = found->files;
  if (is_truncated) result["truncated"] = true;
  return json::value(std::move(result));
}

web::Result<json::value> move(const Workspace& workspace, const MoveFile& asked) {
  if (const auto moved = workspace.move(asked.from, asked.to); !moved) return moved.error();
  return json::value(json::object{{"from", asked.from}, {"to", asked.to}});
}

web::Result<json::value> remove(const Workspace& workspace, const DeleteFile& asked) {
  if (const auto removed = workspace.remove(asked.path); !removed) return removed.error();
  return json::value(json::object{{"deleted", asked.path}});
}

}  // namespace

std::vector<Tool> file_tools(const Workspace& workspace, boost::asio::thread_pool& files) {
  return {
      blocking_tool<ReadFile>(
          files, "read_file",
          "Read a text file of the workspace. Each line has its number and a tab before it. Long files come in parts: "
          "go on with from_line set to next_line.",
          [&workspace](const ReadFile& asked) { return read_lines(workspace, asked); }),
      blocking_tool<WriteFile>(files, "write_file",
                               "Write a text file of the workspace; replaces it whole and makes missing folders.",
                               [&workspace](const WriteFile& asked) { return write(workspace, asked); }),
      blocking_tool<ListFiles>(files, "list_files", "List the files below a folder of the workspace, or all of them.",
                               [&workspace](const ListFiles& asked) { return list(workspace, asked); }),
      blocking_tool<FindFiles>(
          files, "find_files",
          "Find files by a pattern of their path: * and ? within a name, ** across folders, {a,b} for either. Without "
          "a slash the pattern is of the name alone: *.md",
          [&workspace](const FindFiles& asked) { return find(workspace, asked); }),
      blocking_tool<SearchFiles>(
          files, "search_files",
          "Search the text of files: returns path, line number and line. With regexp, text is an RE2 expression, "
          "matched within a line. files: a pattern as for find_files. Build output and fetched dependencies "
          "(node_modules, dist, build) are left out.",
          [&workspace](const SearchFiles& asked) { return search(workspace, asked); }),
      blocking_tool<MoveFile>(files, "move_file",
                              "Move or rename a file or folder; makes missing folders and replaces nothing.",
                              [&workspace](const MoveFile& asked) { return move(workspace, asked); }),
      blocking_tool<DeleteFile>(files, "delete_file",
                                "Delete a file or an empty folder. What was committed stays in the git history.",
                                [&workspace](const DeleteFile& asked) { return remove(workspace, asked); }),
  };
}

}  // namespace agent_process
