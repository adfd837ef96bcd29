#include "appliance/files/explorer/endpoints.h"
#include "appliance/files/explorer/route_parts.h"

namespace explorer {

namespace {

constexpr std::int64_t most_depth = 4;
constexpr auto any = std::numeric_limits<std::int64_t>::max();  // more than the cap is the cap

struct TreeQuery {
  std::optional<web::Integer<1, any>> depth;
  OptionalPath path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(TreeQuery, (), (depth, path, agent))

struct ReadQuery {
  Path path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(ReadQuery, (), (path, agent))

struct WriteBody {
  Path path;
  web::Verbatim<0, most_file_bytes> content;
};
BOOST_DESCRIBE_STRUCT(WriteBody, (), (path, content))

struct MoveBody {
  Path from, to;
  std::optional<bool> overwrite;
};
BOOST_DESCRIBE_STRUCT(MoveBody, (), (from, to, overwrite))

struct SearchQuery {
  web::Text<0, 1000> q;  // blanks are searched for, too
  std::optional<bool> regex, ignoreCase;
  OptionalPath path;
  std::optional<web::Integer<1, any>> limit;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(SearchQuery, (), (q, regex, ignoreCase, path, limit, agent))

struct ReadAnswer {
  bool ok = true;
  std::string path, content;
  std::size_t size = 0;
  std::chrono::sys_time<std::chrono::milliseconds> modified;
};
BOOST_DESCRIBE_STRUCT(ReadAnswer, (), (ok, path, content, size, modified))

struct WriteAnswer {
  bool ok = true;
  std::string path;
  std::size_t size = 0;
};
BOOST_DESCRIBE_STRUCT(WriteAnswer, (), (ok, path, size))

struct MoveAnswer {
  bool ok = true;
  std::string from, to;
};
BOOST_DESCRIBE_STRUCT(MoveAnswer, (), (ok, from, to))

struct RemoveAnswer {
  bool ok = true;
  std::string path;
};
BOOST_DESCRIBE_STRUCT(RemoveAnswer, (), (ok, path))

struct MatchItem {
  std::string path;
  std::size_t line = 1, column = 1;
  std::string text;
};
BOOST_DESCRIBE_STRUCT(MatchItem, (), (path, line, column, text))

struct SearchAnswer {
  bool ok = true;
  std::vector<MatchItem> matches;
  std::size_t files = 0;
  bool truncated = false;
};
BOOST_DESCRIBE_STRUCT(SearchAnswer, (), (ok, matches, files, truncated))

// For the OpenAPI document: what follows writes it.
struct TreeItem {
  std::string type, name, path;
  std::optional<std::vector<TreeItem>> children;
};
BOOST_DESCRIBE_STRUCT(TreeItem, (), (type, name, path, children))

struct TreeAnswer {
  bool ok = true;
  TreeItem root;
  std::optional<bool> truncated;
};
BOOST_DESCRIBE_STRUCT(TreeAnswer, (), (ok, root, truncated))

// Straight to text: there may be thousands of them.
void write_node(std::string& out, const Node& node) {
  out += node.is_folder ? R"({"type":"folder","name":)" : R"({"type":"file","name":)";
  web::write_json(out, node.name);
  out += R"(,"path":)";
  web::write_json(out, node.path);
  if (node.children) {
    out += R"(,"children":)";
    char before = '[';
    for (const auto& child : *node.children) {
      out += before;
      before = ',';
      write_node(out, child);
    }
    out += before == '[' ? "[]" : "]";
  }
  out += '}';
}

web::Response tree_response(const Tree& tree) {
  web::Response response;
  auto& out = response.body.emplace<std::string>();
  out += R"({"ok":true,"root":)";
  write_node(out, tree.root);
  if (tree.is_cut) out += R"(,"truncated":true)";
  out += '}';
  return response;
}

}  // namespace

web::Endpoint tree_endpoint(Explorer& explorer) {
  return web::query<TreeQuery>([&explorer](web::Request&, TreeQuery asked) -> Answer {
           const auto depth = std::min(asked.depth ? asked.depth->value : 3, most_depth);
           const auto found = co_await explorer.tree(agent_of(asked.agent), path_of(asked.path), int(depth));
           if (!found) co_return found.error();
           co_return tree_response(*found);
         })
      .returns<TreeAnswer>()
      .describe(
          "`root` is {type: file or folder, name, path, children?}: folders first, then by name. `depth` is at most 4. "
          "Left out: node_modules, .git, .next, dist, build, .cache, __pycache__, links and devices. `path` names a "
          "folder to begin at. After 20,000 entries the rest is left out, and `truncated` is true.");
}

web::Endpoint read_endpoint(Explorer& explorer) {
  return web::query<ReadQuery>([&explorer](web::Request&, ReadQuery asked) -> Answer {
           auto file = co_await explorer.read(agent_of(asked.agent), std::move(asked.path));
           if (!file) co_return file.error();
           const auto size = file->content.size();
           const ReadAnswer answer{.path = std::move(file->path),
                                   .content = std::move(file->content),
                                   .size = size,
                                   .modified = file->modified};
           co_return web::reply(answer);
         })
      .returns<ReadAnswer>()
      .describe(
          "400 for a path that leads out of the root or through a link, for .git, for what is no regular file or no "
          "UTF-8 text, and for more than 1 MB.");
}

web::Endpoint write_endpoint(Explorer& explorer) {
  return body_at<WriteBody>([&explorer](Explorer::Agent agent, WriteBody body) -> Answer {
           const auto size = body.content.size();
           auto path = co_await explorer.write(std::move(agent), std::move(body.path), std::move(body.content));
           if (!path) co_return path.error();
           const WriteAnswer answer{.path = std::move(*path), .size = size};
           co_return web::reply(answer);
         })
      .returns<WriteAnswer>()
      .fails({web::Kind::unavailable})
      .describe(
          "Replaces the file whole and durably, keeps its mode, and makes missing folders. 400 for a path that leads "
          "out of the root or through a link, and for .git and .gitmodules in any spelling.");
}

web::Endpoint move_endpoint(Explorer& explorer) {
  return body_at<MoveBody>([&explorer](Explorer::Agent agent, MoveBody body) -> Answer {
           const bool overwrite = body.overwrite.value_or(false);
           const auto moved =
               co_await explorer.move(std::move(agent), std::move(body.from), std::move(body.to), overwrite);
           if (!moved) co_return moved.error();
           const MoveAnswer answer{.from = moved->from, .to = moved->to};
           co_return web::reply(answer);
         })
      .returns<MoveAnswer>()
      .fails({web::Kind::conflict, web::Kind::unavailable})
      .describe(
          "Renames a file or folder in one step and makes missing folders above `to`. 409 when `to` exists, unless "
          "`overwrite` is true and both are files. 400 for a path that leads out of the root or through a link, and "
          "for "
          ".git and .gitmodules in any spelling, at either end.");
}

web::Endpoint remove_endpoint(Explorer& explorer) {
  return web::query<ReadQuery>([&explorer](web::Request&, ReadQuery asked) -> Answer {
           auto removed = co_await explorer.remove(agent_of(asked.agent), std::move(asked.path));
           if (!removed) co_return removed.error();
           const RemoveAnswer answer{.path = std::move(*removed)};
           co_return web::reply(answer);
         })
      .returns<RemoveAnswer>()
      .fails({web::Kind::conflict})
      .describe(
          "Removes a file or an empty folder; 409 for a folder that is not empty. 400 for a path that leads out of the "
          "root or through a link, and for .git and .gitmodules in any spelling.");
}

web::Endpoint search_endpoint(Explorer& explorer) {
  return web::query<SearchQuery>([&explorer](web::Request&, SearchQuery asked) -> Answer {
           if (asked.q.empty()) co_return web::invalid("q must not be empty");
           SearchOrder order{.text = std::move(asked.q),
                             .is_regexp = asked.regex.value_or(false),
                             .ignores_case = asked.ignoreCase.value_or(false),
                             .path = path_of(asked.path)};
           if (asked.limit) order.matches = std::size_t(asked.limit->value);
           auto found = co_await explorer.search(agent_of(asked.agent), std::move(order));
           if (!found) co_return found.error();
           SearchAnswer answer{.matches = {}, .files = found->files, .truncated = found->is_cut};
           for (auto& match : found->matches) {
             answer.matches.push_back({std::move(match.path), match.line, match.column, std::move(match.text)});
           }
           co_return web::reply(answer);
         })
      .returns<SearchAnswer>()
      .describe(
          "Lines that hold `q`: literally, or with `regex` as a regular expression of RE2, which takes linear time. "
          "`path` names a file or folder to look in, `limit` (100, at most 1,000) how many lines are told. `column` "
          "counts characters; of long lines `text` is 400 bytes round the match. Passed over: what the tree leaves "
          "out, "
          "links, files that are no UTF-8 text or larger than 4 MB. `truncated`: there may be more, because the limit, "
          "50,000 files, 512 MB or three seconds were reached.");
}

}  // namespace explorer
