// Handlers of the explorer's rows, with the structs of their requests and answers.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/files/explorer/explorer.h"
#include "appliance/files/explorer/git_hosts.h"
#include "appliance/files/explorer/views.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace explorer {

// All of them must outlive the rows.
struct Services {
  Explorer& explorer;
  GitHosts& git_hosts;
  audit::Audit& audit;
};

using Reply = web::Answer;
using AgentId = std::optional<web::Id>;

inline Explorer::Agent agent_of(const AgentId& agent) {
  return agent ? Explorer::Agent(std::string(*agent)) : std::nullopt;
}

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

struct FileQuery {
  Path path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(FileQuery, (), (path, agent))

struct SearchQuery {
  web::Text<0, 1000> q;  // may be blank: spaces can be searched for
  std::optional<bool> regex, ignoreCase;
  OptionalPath path;
  Limit limit;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(SearchQuery, (), (q, regex, ignoreCase, path, limit, agent))

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

struct DiffQuery {
  OptionalPath path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(DiffQuery, (), (path, agent))

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

struct ShowQuery {
  std::optional<web::Text<1, 250>> rev;
  OptionalPath path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(ShowQuery, (), (rev, path, agent))

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

// /api/browse/* and /api/admin/git-hosts.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace explorer
