#include "appliance/files/explorer/handlers.h"

namespace explorer {

namespace {

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
  const auto found = co_await services.explorer.tree(agent_of(query.agent), path_of(query.path), depth_of(query.depth));
  if (!found) co_return found.error();
  co_return view(*found);
}

Reply read_file(const Services& services, const web::Request&, FileQuery query) {
  auto file = co_await services.explorer.read(agent_of(query.agent), std::move(query.path));
  if (!file) co_return file.error();
  co_return view(std::move(*file));
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
  co_return view(std::move(*found));
}

}  // namespace explorer
