#include <boost/json.hpp>

#include "appliance/hosting/agent_process/tools/toolbox.h"
#include "appliance/models/builtin/extract.h"

namespace agent_process {

namespace json = boost::json;

namespace {

// Returned by one read; longer files are read in parts.
constexpr std::size_t part_bytes = 24'000;

struct ReadFile {
  web::Prose<1, 1'024> path;
  std::optional<web::Integer<0, 1'048'576>> offset;
};
BOOST_DESCRIBE_STRUCT(ReadFile, (), (path, offset))

struct WriteFile {
  web::Prose<1, 1'024> path;
  web::Prose<0, 1'048'576> content;
};
BOOST_DESCRIBE_STRUCT(WriteFile, (), (path, content))

struct ListFiles {
  std::optional<web::Prose<0, 1'024>> path;
};
BOOST_DESCRIBE_STRUCT(ListFiles, (), (path))

web::Result<json::value> read_part(const Workspace& workspace, const ReadFile& asked) {
  const auto content = workspace.read(asked.path);
  if (!content) return content.error();
  const auto offset = asked.offset ? static_cast<std::size_t>(asked.offset->value) : 0;
  if (offset > content->size()) return web::invalid("offset is beyond the end of the file");
  if (offset < content->size() && (static_cast<unsigned char>((*content)[offset]) & 0xC0) == 0x80) {
    return web::invalid("offset is within a character");
  }
  const auto part = models::cut(std::string_view(*content).substr(offset), part_bytes);
  json::object result{{"path", asked.path}, {"size", content->size()}, {"content", part}};
  const auto end = offset + part.size();
  if (end < content->size()) result["next_offset"] = end;
  return json::value(std::move(result));
}

web::Result<json::value> write(const Workspace& workspace, const WriteFile& asked) {
  if (const auto written = workspace.write(asked.path, asked.content); !written) return written.error();
  return json::value(json::object{{"path", asked.path}, {"size", asked.content.size()}});
}

web::Result<json::value> list(const Workspace& workspace, const ListFiles& asked) {
  const auto listing = workspace.list(asked.path ? std::string_view(*asked.path) : std::string_view());
  if (!listing) return listing.error();
  json::array entries;
  for (const auto& entry : listing->entries) entries.push_back({{"path", entry.path}, {"size", entry.size}});
  json::object result;
  result["entries"] = std::move(entries);
  if (listing->truncated) result["truncated"] = true;
  return json::value(std::move(result));
}

}  // namespace

std::vector<Tool> file_tools(const Workspace& workspace, boost::asio::thread_pool& files) {
  return {
      blocking_tool<ReadFile>(files, "read_file",
                              "Read a text file of the workspace. Long files come in parts: go on at next_offset.",
                              [&workspace](const ReadFile& asked) { return read_part(workspace, asked); }),
      blocking_tool<WriteFile>(files, "write_file",
                               "Write a text file of the workspace; replaces it whole and makes missing folders.",
                               [&workspace](const WriteFile& asked) { return write(workspace, asked); }),
      blocking_tool<ListFiles>(files, "list_files", "List the files below a folder of the workspace, or all of them.",
                               [&workspace](const ListFiles& asked) { return list(workspace, asked); }),
  };
}

}  // namespace agent_process
