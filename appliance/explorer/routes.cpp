#include "appliance/explorer/routes.h"

#include <boost/json.hpp>

#include "web/endpoint.h"

namespace explorer {

namespace json = boost::json;

namespace {

using Answer = web::Task<web::Result<web::Response>>;
using AgentId = std::optional<web::Id>;
using Path = web::Text<1, 4096>;

constexpr std::int64_t most_depth = 4, most_commits = 100;
constexpr auto most_count = std::numeric_limits<std::int32_t>::max();

struct TreeQuery {
  std::optional<web::Integer<1, most_count>> depth;
  std::optional<web::Text<0, 4096>> path;
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

struct AgentQuery {
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(AgentQuery, (), (agent))

struct DiffQuery {
  std::optional<web::Text<0, 4096>> path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(DiffQuery, (), (path, agent))

struct SyncBody {
  std::optional<web::Prose<1, 10'000>> message;
};
BOOST_DESCRIBE_STRUCT(SyncBody, (), (message))

struct LogQuery {
  std::optional<web::Integer<1, most_count>> limit;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(LogQuery, (), (limit, agent))

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

struct ChangeItem {
  std::string status, path;
};
BOOST_DESCRIBE_STRUCT(ChangeItem, (), (status, path))

struct StatusAnswer {
  bool ok = true, isGitRepo = true;
  std::string branch;
  std::optional<std::string> remote;
  std::vector<ChangeItem> changes;
  bool hasChanges = false;
};
BOOST_DESCRIBE_STRUCT(StatusAnswer, (), (ok, isGitRepo, branch, remote, changes, hasChanges))

struct DiffAnswer {
  bool ok = true;
  std::optional<std::string> unstaged, staged;
};
BOOST_DESCRIBE_STRUCT(DiffAnswer, (), (ok, unstaged, staged))

struct SyncAnswer {
  bool ok = true, committed = false, pushed = false;
  std::optional<std::string> hash;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(SyncAnswer, (), (ok, committed, pushed, hash, message))

struct CommitItem {
  std::string hash, shortHash, subject, author;
  std::chrono::sys_time<std::chrono::milliseconds> date;
};
BOOST_DESCRIBE_STRUCT(CommitItem, (), (hash, shortHash, subject, author, date))

struct LogAnswer {
  bool ok = true;
  std::vector<CommitItem> commits;
};
BOOST_DESCRIBE_STRUCT(LogAnswer, (), (ok, commits))

json::object node_json(const Node& node) {
  json::object result{{"type", node.is_folder ? "folder" : "file"}, {"name", node.name}, {"path", node.path}};
  if (!node.children) return result;
  json::array children;
  children.reserve(node.children->size());
  for (const auto& child : *node.children) children.push_back(node_json(child));
  result["children"] = std::move(children);
  return result;
}

std::optional<std::string> unless_empty(std::string text) {
  if (text.empty()) return std::nullopt;
  return text;
}

Explorer::Agent agent_of(const AgentId& agent) {
  if (!agent) return std::nullopt;
  return std::string(*agent);
}

std::string path_of(const std::optional<web::Text<0, 4096>>& path) { return path ? std::string(*path) : std::string(); }

// A handler that takes (Agent, Body): the agent is in the query, all else in the body.
template <class Body, class F>
web::Endpoint body_at(F handler) {
  return {.handle = [handler = std::move(handler)](web::Request& request) -> Answer {
            const auto where = web::parse_query<AgentQuery>(request);
            if (!where) co_return where.error();
            auto body = web::parse_body<Body>(request);
            if (!body) co_return body.error();
            co_return co_await handler(agent_of(where->agent), std::move(*body));
          },
          .body = web::schema_of<Body>(),
          .query_schema = web::schema_of<AgentQuery>()};
}

web::Endpoint tree(Explorer& explorer) {
  return web::query<TreeQuery>([&explorer](web::Request&, TreeQuery asked) -> Answer {
           const auto depth = std::min(asked.depth ? asked.depth->value : 3, most_depth);
           const auto found = co_await explorer.tree(agent_of(asked.agent), path_of(asked.path), int(depth));
           if (!found) co_return found.error();
           json::object answer{{"ok", true}, {"root", node_json(found->root)}};
           if (found->is_cut) answer["truncated"] = true;
           co_return web::json(std::move(answer));
         })
      .describe(
          "`root` is {type: file or folder, name, path, children?}: folders first, then by name. `depth` is at most 4. "
          "Left out: node_modules, .git, .next, dist, build, .cache, __pycache__, links and devices. `path` names a "
          "folder to begin at. After 20,000 entries the rest is left out, and `truncated` is true.");
}

web::Endpoint read(Explorer& explorer) {
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

web::Endpoint write(Explorer& explorer) {
  return body_at<WriteBody>([&explorer](Explorer::Agent agent, WriteBody body) -> Answer {
           const auto size = body.content.size();
           auto path = co_await explorer.write(std::move(agent), std::move(body.path), std::move(body.content));
           if (!path) co_return path.error();
           const WriteAnswer answer{.path = std::move(*path), .size = size};
           co_return web::reply(answer);
         })
      .returns<WriteAnswer>()
      .describe(
          "Replaces the file whole and durably, keeps its mode, and makes missing folders. 400 for a path that leads "
          "out of the root or through a link, and for .git and .gitmodules in any spelling.");
}

web::Endpoint status(Explorer& explorer) {
  return web::query<AgentQuery>([&explorer](web::Request&, AgentQuery asked) -> Answer {
           const auto found = co_await explorer.status(agent_of(asked.agent));
           if (!found) co_return found.error();
           if (!*found) co_return web::json(json::object{{"ok", true}, {"isGitRepo", false}});
           const auto& state = **found;
           StatusAnswer answer{.branch = state.branch, .remote = state.remote, .changes = {}};
           for (const auto& change : state.changes) answer.changes.push_back({change.code(), change.path});
           answer.hasChanges = !answer.changes.empty();
           co_return web::reply(answer);
         })
      .returns<StatusAnswer>()
      .describe(
          "`status` is the code of git status --porcelain without spaces: M, A, D, R, T, ??, AM, UU, ... `branch` is "
          "HEAD when none is checked out. Just {ok, isGitRepo: false} where there is no repository. At most 10,000 "
          "changes are listed.");
}

web::Endpoint diff(Explorer& explorer) {
  return web::query<DiffQuery>([&explorer](web::Request&, DiffQuery asked) -> Answer {
           auto found = co_await explorer.diff(agent_of(asked.agent), path_of(asked.path));
           if (!found) co_return found.error();
           const DiffAnswer answer{.unstaged = unless_empty(std::move(found->unstaged)),
                                   .staged = unless_empty(std::move(found->staged))};
           co_return web::reply(answer);
         })
      .returns<DiffAnswer>()
      .describe("Patches as git diff and git diff --cached write them; null: nothing differs. 400 beyond 4 MB.");
}

web::Endpoint sync(Explorer& explorer) {
  return body_at<SyncBody>([&explorer](Explorer::Agent agent, SyncBody body) -> Answer {
           std::string message = body.message ? std::string(*body.message) : "sync changes";
           const auto synced = co_await explorer.sync(std::move(agent), std::move(message));
           if (!synced) co_return synced.error();
           const SyncAnswer answer{.committed = synced->hash.has_value(),
                                   .pushed = synced->is_pushed,
                                   .hash = synced->hash,
                                   .message = synced->message};
           co_return web::reply(answer);
         })
      .returns<SyncAnswer>()
      .describe(
          "Stages everything, commits it as GIT_AUTHOR_NAME, and pushes the branch to its remote over http, https or "
          "to a folder, with the credentials of GIT_CREDENTIALS. `message` of the answer says what was done, or why "
          "the push failed while the commit stands. No hook runs. 409 while another sync is running.");
}

web::Endpoint log(Explorer& explorer) {
  return web::query<LogQuery>([&explorer](web::Request&, LogQuery asked) -> Answer {
           const auto limit = std::min(asked.limit ? asked.limit->value : 20, most_commits);
           const auto found = co_await explorer.log(agent_of(asked.agent), std::size_t(limit));
           if (!found) co_return found.error();
           LogAnswer answer;
           for (const auto& commit : *found) {
             answer.commits.push_back({commit.hash, commit.short_hash, commit.subject, commit.author, commit.date});
           }
           co_return web::reply(answer);
         })
      .returns<LogAnswer>()
      .describe("Newest first; `limit` is at most 100. `date` is when it was written.");
}

}  // namespace

std::vector<web::Route> routes(Explorer& explorer, const agentbox::Guards& guards) {
  const auto& key = guards.backend_key;
  return {
      {web::GET, "/api/browse/tree", key, nullptr, tree(explorer), "Files and folders"},
      {web::GET, "/api/browse/read", key, nullptr, read(explorer), "Read a text file"},
      {web::POST, "/api/browse/write", key, nullptr, write(explorer), "Write a text file"},
      {web::GET, "/api/browse/git-status", key, nullptr, status(explorer), "What changed since the last commit"},
      {web::GET, "/api/browse/git-diff", key, nullptr, diff(explorer), "The changes as patches"},
      {web::POST, "/api/browse/git-sync", key, nullptr, sync(explorer), "Commit everything and push it"},
      {web::GET, "/api/browse/git-log", key, nullptr, log(explorer), "The newest commits"},
  };
}

}  // namespace explorer
