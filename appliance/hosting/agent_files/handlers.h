#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/files/explorer/views.h"
#include "appliance/hosting/agent_files/agent_files.h"
#include "appliance/hosting/gate/turns.h"
#include "appliance/hosting/sharing/sharing.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace agent_files {

// All of them must outlive the rows.
struct Services {
  AgentFiles& files;
};

// `files` hides what is_hidden_from_builders says.
struct ServicesForBuilders : Services {
  const sharing::Sharing& sharing;
  gate::TurnTracker& turns;
};

struct TreeQuery {
  explorer::Limit depth;
  explorer::OptionalPath path;
};
BOOST_DESCRIBE_STRUCT(TreeQuery, (), (depth, path))

struct FileQuery {
  explorer::Path path;
};
BOOST_DESCRIBE_STRUCT(FileQuery, (), (path))

struct SearchQuery {
  web::Text<0, 1000> q;  // may be blank: spaces can be searched for
  std::optional<bool> regex, ignoreCase;
  explorer::OptionalPath path;
  explorer::Limit limit;
};
BOOST_DESCRIBE_STRUCT(SearchQuery, (), (q, regex, ignoreCase, path, limit))

struct FolderBody {
  explorer::Path path;
};
BOOST_DESCRIBE_STRUCT(FolderBody, (), (path))

struct FolderAnswer {
  bool ok = true;
  std::string path;
};
BOOST_DESCRIBE_STRUCT(FolderAnswer, (), (ok, path))

struct DiffQuery {
  explorer::OptionalPath path;
};
BOOST_DESCRIBE_STRUCT(DiffQuery, (), (path))

struct LogQuery {
  explorer::Limit limit;
};
BOOST_DESCRIBE_STRUCT(LogQuery, (), (limit))

struct ShowQuery {
  std::optional<web::Text<1, 250>> rev;
  explorer::OptionalPath path;
};
BOOST_DESCRIBE_STRUCT(ShowQuery, (), (rev, path))

struct CommitAnswer {
  bool ok = true, committed = false;
  std::optional<std::string> hash, branch;
};
BOOST_DESCRIBE_STRUCT(CommitAnswer, (), (ok, committed, hash, branch))

// Besides the names that are reserved, results of tools: they belong to the owner's conversations.
bool is_hidden_from_builders(std::string_view component);

// /api/agents/:id/files and everything under it, except for uploads.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// The same without git, as /api/shared/:id/files, for the builders of an agent of another.
std::vector<web::Route> routes_for_builders(const agentbox::Guards&, const web::Bind<ServicesForBuilders>&);

}  // namespace agent_files
