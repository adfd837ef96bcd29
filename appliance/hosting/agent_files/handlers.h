// Handlers of the rows about an agent's files, with the structs of their requests and answers. Other structs are the
// explorer's.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>

#include "appliance/files/explorer/views.h"
#include "appliance/hosting/agent_files/routes.h"
#include "web/routes/endpoint.h"

namespace agent_files {

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

web::Answer show_tree(const Services&, const web::Request&, TreeQuery);
web::Answer read_file(const Services&, const web::Request&, FileQuery);
web::Answer send_raw_file(const Services&, const web::Request&, FileQuery);
web::Answer search_files(const Services&, const web::Request&, SearchQuery);
web::Answer write_file(const Services&, const web::Request&, explorer::WriteBody);
web::Answer make_folder(const Services&, const web::Request&, FolderBody);
web::Answer move_file(const Services&, const web::Request&, explorer::MoveBody);
web::Answer remove_file(const Services&, const web::Request&, FileQuery);
web::Answer show_status(const Services&, const web::Request&);
web::Answer show_diff(const Services&, const web::Request&, DiffQuery);
web::Answer show_log(const Services&, const web::Request&, LogQuery);
web::Answer show_commit(const Services&, const web::Request&, ShowQuery);
web::Answer commit_files(const Services&, const web::Request&, explorer::SyncBody);

}  // namespace agent_files
