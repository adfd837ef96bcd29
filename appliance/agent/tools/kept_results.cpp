// Long results of tools, kept in a hidden folder of the workspace, so that the conversation has only their ends.
#include <algorithm>
#include <boost/json.hpp>

#include "appliance/agent/tools/toolbox.h"
#include "appliance/agent/workspace_path.h"
#include "web/utf8.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t max_kept_files = 100, max_kept_bytes = 4u << 20, number_digits = 4;
constexpr std::size_t begin_bytes = 4'000, end_bytes = 1'500, max_other_bytes = 1'000;

// The text of a result, as a file that is read by lines: of an object that is mostly one text, that text; of others
// each member, and each element of a list, on a line of its own.
struct ResultText {
  std::string text;
  std::string_view member;  // the one that is the text; empty: all
};

ResultText text_of(const json::object& result, std::size_t size) {
  for (const auto& [name, value] : result)
    if (const auto* text = value.if_string(); text && text->size() > size / 2)
      return {.text = std::string(*text), .member = name};
  std::string lines;
  for (const auto& [name, value] : result) {
    lines.append(name).append(":");
    if (const auto* list = value.if_array()) {
      lines += '\n';
      for (const auto& element : *list) lines.append(json::serialize(element)).append("\n");
    } else {
      lines.append(" ").append(json::serialize(value)).append("\n");
    }
  }
  return {.text = std::move(lines), .member = {}};
}

// Makes room for a file of `size` bytes; returns the number of the new file.
std::size_t make_room(const Workspace& workspace, std::size_t size) {
  auto listing = workspace.list(kept_results_folder);
  if (!listing) return 1;
  auto& kept = listing->entries;  // by name: oldest first
  std::size_t bytes = size, newest = 0;
  for (const auto& entry : kept) {
    bytes += entry.size;
    const auto name = entry.path.find('/') + 1;
    newest = std::max(newest, std::size_t(std::strtoul(entry.path.c_str() + name, nullptr, 10)));
  }
  for (std::size_t i = 0; i < kept.size() && (bytes > max_kept_bytes || kept.size() - i >= max_kept_files); ++i) {
    bytes -= kept[i].size;
    [[maybe_unused]] const auto removed = workspace.remove(kept[i].path);
  }
  return newest + 1;
}

// Nothing when the file cannot be written.
std::optional<std::string> keep(const Workspace& workspace, const std::string& tool, const json::object& result,
                                std::size_t size) {
  auto [text, member] = text_of(result, size);
  const auto whole_size = text.size();
  if (whole_size <= begin_bytes + end_bytes) return std::nullopt;
  std::string_view kept = web::utf8_prefix(text, Workspace::max_file_bytes);
  auto number = std::to_string(make_room(workspace, kept.size()));
  if (number.size() < number_digits) number.insert(0, number_digits - number.size(), '0');
  const auto path = std::string(kept_results_folder) + "/" + number + "-" + tool + ".txt";
  if (const auto written = workspace.write(path, kept); !written) return std::nullopt;
  json::object shown;
  for (const auto& [name, value] : result)
    if (!member.empty() && name != member && json::serialize(value).size() <= max_other_bytes) shown[name] = value;
  shown["note"] =
      "This result is long: here are its ends, the whole is in the file, which read_file and search_files read";
  shown["file"] = path;
  shown["size"] = whole_size;
  shown["begin"] = web::utf8_prefix(text, begin_bytes);
  auto tail = text.size() - end_bytes;
  while (tail < text.size() && (static_cast<unsigned char>(text[tail]) & 0xC0) == 0x80) ++tail;
  shown["end"] = std::string_view(text).substr(tail);
  return json::serialize(shown);
}

}  // namespace

ResultKeeper result_keeper(const Workspace& workspace, boost::asio::thread_pool& files) {
  return [&workspace, &files](std::string tool, json::value result, std::string content) -> web::Task<std::string> {
    if (!result.is_object()) co_return content;
    const auto work = [&] { return keep(workspace, tool, result.get_object(), content.size()); };
    auto shortened = co_await web::offload(files, work);
    if (shortened) co_return std::move(*shortened);
    co_return content;
  };
}

}  // namespace agent_process
