// Handlers of the explorer's rows, with the structs of their requests and answers.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "appliance/files/explorer/routes.h"
#include "web/endpoint.h"

namespace explorer {

using Reply = web::Task<web::Result<web::Response>>;
using AgentId = std::optional<web::Id>;
using Path = web::Text<1, 4096>;
using OptionalPath = std::optional<web::Text<0, 4096>>;  // empty: the whole folder
// Values above the handler's maximum are reduced to it.
using Limit = std::optional<web::Integer<1, std::numeric_limits<std::int64_t>::max()>>;

inline Explorer::Agent agent_of(const AgentId& agent) {
  return agent ? Explorer::Agent(std::string(*agent)) : std::nullopt;
}

inline std::string path_of(const OptionalPath& path) { return path ? std::string(*path) : std::string(); }

struct AgentQuery {
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(AgentQuery, (), (agent))

// An endpoint whose query names the agent and whose body is a `Body`. The handler takes (Explorer::Agent, Body).
template <class Body, class F>
web::Endpoint body_and_agent(F handler) {
  return {.handle = [handler = std::move(handler)](web::Request& request) -> Reply {
            const auto query = web::parse_query<AgentQuery>(request);
            if (!query) co_return query.error();
            auto body = web::parse_body<Body>(request);
            if (!body) co_return body.error();
            co_return co_await handler(agent_of(query->agent), std::move(*body));
          },
          .body = web::schema_of<Body>,
          .query_schema = web::schema_of<AgentQuery>};
}

// ---- Files

struct TreeQuery {
  Limit depth;
  OptionalPath path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(TreeQuery, (), (depth, path, agent))

// Describe the answer in the OpenAPI document only; show_tree writes it without them.
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

struct FileQuery {
  Path path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(FileQuery, (), (path, agent))

struct ReadAnswer {
  bool ok = true;
  std::string path, content;
  std::size_t size = 0;
  std::chrono::sys_time<std::chrono::milliseconds> modified;
};
BOOST_DESCRIBE_STRUCT(ReadAnswer, (), (ok, path, content, size, modified))

struct SearchQuery {
  web::Text<0, 1000> q;  // may be blank: spaces can be searched for
  std::optional<bool> regex, ignoreCase;
  OptionalPath path;
  Limit limit;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(SearchQuery, (), (q, regex, ignoreCase, path, limit, agent))

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

struct WriteBody {
  Path path;
  web::Verbatim<0, most_file_bytes> content;
};
BOOST_DESCRIBE_STRUCT(WriteBody, (), (path, content))

struct WriteAnswer {
  bool ok = true;
  std::string path;
  std::size_t size = 0;
};
BOOST_DESCRIBE_STRUCT(WriteAnswer, (), (ok, path, size))

struct MoveBody {
  Path from, to;
  std::optional<bool> overwrite;
};
BOOST_DESCRIBE_STRUCT(MoveBody, (), (from, to, overwrite))

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

struct WatchQuery {
  OptionalPath path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(WatchQuery, (), (path, agent))

Reply show_tree(const Services&, const web::Request&, TreeQuery);
Reply read_file(const Services&, const web::Request&, FileQuery);
Reply send_raw_file(const Services&, const web::Request&, FileQuery);
Reply search_files(const Services&, const web::Request&, SearchQuery);
Reply watch_files(const Services&, const web::Request&, WatchQuery);
Reply write_file(const Services&, Explorer::Agent, WriteBody);
Reply move_file(const Services&, Explorer::Agent, MoveBody);
Reply remove_file(const Services&, const web::Request&, FileQuery);

// ---- Git

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

struct DiffQuery {
  OptionalPath path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(DiffQuery, (), (path, agent))

struct DiffAnswer {
  bool ok = true;
  std::optional<std::string> unstaged, staged;
};
BOOST_DESCRIBE_STRUCT(DiffAnswer, (), (ok, unstaged, staged))

struct SyncBody {
  std::optional<web::Prose<0, 10'000>> message;  // blank: the default message
};
BOOST_DESCRIBE_STRUCT(SyncBody, (), (message))

struct SyncAnswer {
  bool ok = true, committed = false, pushed = false;
  std::optional<std::string> hash;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(SyncAnswer, (), (ok, committed, pushed, hash, message))

struct LogQuery {
  Limit limit;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(LogQuery, (), (limit, agent))

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

struct ShowQuery {
  std::optional<web::Text<1, 250>> rev;
  OptionalPath path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(ShowQuery, (), (rev, path, agent))

struct ShownFile {
  std::string status, path;
  std::optional<std::string> from;
};
BOOST_DESCRIBE_STRUCT(ShownFile, (), (status, path, from))

struct ShownCommitItem {
  std::string hash, shortHash, subject, author, email;
  std::chrono::sys_time<std::chrono::milliseconds> date;
  std::string message;
  std::vector<std::string> parents;
};
BOOST_DESCRIBE_STRUCT(ShownCommitItem, (), (hash, shortHash, subject, author, email, date, message, parents))

struct ShowAnswer {
  bool ok = true;
  ShownCommitItem commit;
  std::vector<ShownFile> changes;
  std::optional<std::string> diff, content;
};
BOOST_DESCRIBE_STRUCT(ShowAnswer, (), (ok, commit, changes, diff, content))

Reply show_status(const Services&, const web::Request&, AgentQuery);
Reply show_diff(const Services&, const web::Request&, DiffQuery);
Reply sync_repository(const Services&, Explorer::Agent, SyncBody);
Reply show_log(const Services&, const web::Request&, LogQuery);
Reply show_commit(const Services&, const web::Request&, ShowQuery);

// ---- Accounts at git hosts

struct GitHostBody {
  web::Text<1, 300> url;
  std::optional<web::Prose<1, 20'000>> secret;
  std::optional<web::List<web::Text<1, 100>, 0, 16>> hostKeys;
};
BOOST_DESCRIBE_STRUCT(GitHostBody, (), (url, secret, hostKeys))

struct GitHostQuery {
  web::Text<1, 300> url;
};
BOOST_DESCRIBE_STRUCT(GitHostQuery, (), (url))

struct GitHostItem {
  std::string url, user;
  std::vector<std::string> hostKeys;
  store::Time updatedAt;
};
BOOST_DESCRIBE_STRUCT(GitHostItem, (), (url, user, hostKeys, updatedAt))

struct GitHostList {
  std::vector<GitHostItem> hosts;
};
BOOST_DESCRIBE_STRUCT(GitHostList, (), (hosts))

struct GitHostRemoved {
  bool success = true;
};
BOOST_DESCRIBE_STRUCT(GitHostRemoved, (), (success))

Reply list_git_hosts(const Services&, const web::Request&);
Reply set_git_host(const Services&, const web::Request&, GitHostBody);
Reply remove_git_host(const Services&, const web::Request&, GitHostQuery);

}  // namespace explorer
