#include <algorithm>

#include "appliance/files/explorer/handlers.h"

namespace explorer {

namespace {

constexpr std::int64_t default_depth = 3, most_depth = 4;

// Writes JSON text directly: there may be thousands of nodes.
void write_node(std::string& out, const Node& node) {
  out += node.is_folder ? R"({"type":"folder","name":)" : R"({"type":"file","name":)";
  web::write_json(out, node.name);
  out += R"(,"path":)";
  web::write_json(out, node.path);
  if (node.children) {
    out += R"(,"children":)";
    char separator = '[';
    for (const auto& child : *node.children) {
      out += separator;
      separator = ',';
      write_node(out, child);
    }
    out += separator == '[' ? "[]" : "]";
  }
  out += '}';
}

web::Response tree_response(const Tree& tree) {
  web::Response response;
  auto& out = response.body.emplace<std::string>();
  out += R"({"ok":true,"root":)";
  write_node(out, tree.root);
  if (tree.is_truncated) out += R"(,"truncated":true)";
  out += '}';
  return response;
}

TextQuery text_query(SearchQuery query) {
  TextQuery search{.text = std::move(query.q),
                   .is_regexp = query.regex.value_or(false),
                   .ignores_case = query.ignoreCase.value_or(false),
                   .path = path_of(query.path)};
  if (query.limit) search.matches = std::size_t(query.limit->value);
  return search;
}

}  // namespace

Reply show_tree(const Services& services, const web::Request&, TreeQuery query) {
  const auto depth = std::min(query.depth ? query.depth->value : default_depth, most_depth);
  const auto found = co_await services.explorer.tree(agent_of(query.agent), path_of(query.path), int(depth));
  if (!found) co_return found.error();
  co_return tree_response(*found);
}

Reply read_file(const Services& services, const web::Request&, FileQuery query) {
  auto file = co_await services.explorer.read(agent_of(query.agent), std::move(query.path));
  if (!file) co_return file.error();
  const auto size = file->content.size();
  const ReadAnswer answer{
      .path = std::move(file->path), .content = std::move(file->content), .size = size, .modified = file->modified};
  co_return web::reply(answer);
}

Reply write_file(const Services& services, Explorer::Agent agent, WriteBody body) {
  const auto size = body.content.size();
  auto path = co_await services.explorer.write(std::move(agent), std::move(body.path), std::move(body.content));
  if (!path) co_return path.error();
  const WriteAnswer answer{.path = std::move(*path), .size = size};
  co_return web::reply(answer);
}

Reply move_file(const Services& services, Explorer::Agent agent, MoveBody body) {
  const bool overwrite = body.overwrite.value_or(false);
  const auto moved =
      co_await services.explorer.move(std::move(agent), std::move(body.from), std::move(body.to), overwrite);
  if (!moved) co_return moved.error();
  const MoveAnswer answer{.from = moved->from, .to = moved->to};
  co_return web::reply(answer);
}

Reply remove_file(const Services& services, const web::Request&, FileQuery query) {
  auto removed = co_await services.explorer.remove(agent_of(query.agent), std::move(query.path));
  if (!removed) co_return removed.error();
  const RemoveAnswer answer{.path = std::move(*removed)};
  co_return web::reply(answer);
}

Reply search_files(const Services& services, const web::Request&, SearchQuery query) {
  if (query.q.empty()) co_return web::invalid("q must not be empty");
  auto agent = agent_of(query.agent);
  auto found = co_await services.explorer.search(std::move(agent), text_query(std::move(query)));
  if (!found) co_return found.error();
  SearchAnswer answer{.matches = {}, .files = found->files, .truncated = found->is_truncated};
  for (auto& match : found->matches) {
    answer.matches.push_back({std::move(match.path), match.line, match.column, std::move(match.text)});
  }
  co_return web::reply(answer);
}

}  // namespace explorer
