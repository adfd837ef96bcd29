#include "appliance/files/explorer/routes.h"

#include "appliance/files/explorer/endpoints.h"
#include "appliance/files/explorer/route_parts.h"

namespace explorer {

std::vector<web::Route> routes(Explorer& explorer, const agentbox::Guards& guards) {
  const auto& key = guards.backend_key;
  std::vector<web::Route> table{
      {web::GET, "/api/browse/tree", key, nullptr, tree_endpoint(explorer), "Files and folders"},
      {web::GET, "/api/browse/read", key, nullptr, read_endpoint(explorer), "Read a text file"},
      {web::GET, "/api/browse/raw", key, nullptr, sending("application/octet-stream", raw_endpoint(explorer)),
       "A file as it is, or a part of it"},
      {web::GET, "/api/browse/search", key, nullptr, search_endpoint(explorer), "Look for text in the files"},
      {web::GET, "/api/browse/watch", key, nullptr, sending("text/event-stream", watch_endpoint(explorer)),
       "What happens to the files, as it happens"},
      {web::POST, "/api/browse/write", key, nullptr, write_endpoint(explorer), "Write a text file"},
      {web::POST, "/api/browse/move", key, nullptr, move_endpoint(explorer), "Rename a file or folder"},
      {web::DELETE, "/api/browse/file", key, nullptr, remove_endpoint(explorer), "Remove a file or an empty folder"},
      {web::GET, "/api/browse/git-status", key, nullptr, status_endpoint(explorer),
       "What changed since the last commit"},
      {web::GET, "/api/browse/git-diff", key, nullptr, diff_endpoint(explorer), "The changes as patches"},
      {web::POST, "/api/browse/git-sync", key, nullptr, sync_endpoint(explorer), "Commit everything and push it"},
      {web::GET, "/api/browse/git-log", key, nullptr, log_endpoint(explorer), "The newest commits"},
      {web::GET, "/api/browse/git-show", key, nullptr, show_endpoint(explorer),
       "One commit, and a file as it was then"},
  };
  // No such file or agent, more asked than the threads get done, and a disk or a repository that fails.
  for (auto& row : table) {
    row.endpoint = std::move(row.endpoint).fails({web::Kind::not_found, web::Kind::too_many, web::Kind::internal});
  }
  return table;
}

}  // namespace explorer
