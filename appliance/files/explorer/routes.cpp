
#include <functional>

#include "appliance/files/explorer/descriptions.h"
#include "appliance/files/explorer/handlers.h"

namespace explorer {

namespace {

using enum web::Kind;

std::vector<web::Route> browse_rows(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.files;
  std::vector<web::Route> table{
      {web::GET, "/api/browse/tree", key, nullptr,
       web::query<TreeQuery>(on(show_tree)).returns<TreeAnswer>().describe(descriptions::tree),
       "List files and folders"},
      {web::GET, "/api/browse/read", key, nullptr,
       web::query<FileQuery>(on(read_file)).returns<ReadAnswer>().describe(descriptions::read), "Read a text file"},
      {web::GET, "/api/browse/raw", key, nullptr,
       sends("application/octet-stream", web::query<FileQuery>(on(send_raw_file)).describe(descriptions::raw)),
       "Download a file or a part of it"},
      {web::GET, "/api/browse/search", key, nullptr,
       web::query<SearchQuery>(on(search_files)).returns<SearchAnswer>().describe(descriptions::search),
       "Search the files for text"},
      {web::GET, "/api/browse/watch", key, nullptr,
       sends("text/event-stream",
             web::query<WatchQuery>(on(watch_files)).fails({unavailable}).describe(descriptions::watch)),
       "Stream file changes"},
      {web::POST, "/api/browse/write", key, nullptr,
       body_and_agent<WriteBody>(on(write_file))
           .returns<WriteAnswer>()
           .fails({unavailable})
           .describe(descriptions::write),
       "Write a text file"},
      {web::POST, "/api/browse/move", key, nullptr,
       body_and_agent<MoveBody>(on(move_file))
           .returns<MoveAnswer>()
           .fails({conflict, unavailable})
           .describe(descriptions::move),
       "Rename a file or folder"},
      {web::DELETE, "/api/browse/file", key, nullptr,
       web::query<FileQuery>(on(remove_file)).returns<RemoveAnswer>().fails({conflict}).describe(descriptions::remove),
       "Remove a file or an empty folder"},
      {web::GET, "/api/browse/git-status", key, nullptr,
       web::query<AgentQuery>(on(show_status)).returns<StatusAnswer>().fails({conflict}).describe(descriptions::status),
       "List changes since the last commit"},
      {web::GET, "/api/browse/git-diff", key, nullptr,
       web::query<DiffQuery>(on(show_diff)).returns<DiffAnswer>().fails({conflict}).describe(descriptions::diff),
       "Show the changes as patches"},
      {web::POST, "/api/browse/git-sync", key, nullptr,
       body_and_agent<SyncBody>(on(sync_repository))
           .returns<SyncAnswer>()
           .fails({conflict})
           .describe(descriptions::sync),
       "Commit everything and push it"},
      {web::GET, "/api/browse/git-log", key, nullptr,
       web::query<LogQuery>(on(show_log)).returns<LogAnswer>().fails({conflict}).describe(descriptions::log),
       "List the newest commits"},
      {web::GET, "/api/browse/git-show", key, nullptr,
       web::query<ShowQuery>(on(show_commit)).returns<ShowAnswer>().fails({conflict}).describe(descriptions::show),
       "Show a commit, and a file as of it"},
  };
  // An unknown file or agent, all threads busy, and a failing disk or repository.
  for (auto& row : table) row.endpoint = std::move(row.endpoint).fails({not_found, too_many, internal});
  return table;
}

std::vector<web::Route> git_host_rows(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.box;
  return {
      {web::GET, "/api/admin/git-hosts", key, nullptr, web::plain(on(list_git_hosts)).returns<GitHostList>(),
       "List the box's accounts at git hosts"},
      {web::PUT, "/api/admin/git-hosts", key, nullptr,
       web::body<GitHostBody>(on(set_git_host)).returns<GitHostItem>().describe(descriptions::set_git_host),
       "Create or change an account of the box at a git host"},
      {web::DELETE, "/api/admin/git-hosts", key, nullptr,
       web::query<GitHostQuery>(on(remove_git_host)).returns<GitHostRemoved>().describe(descriptions::remove_git_host),
       "Remove an account of the box at a git host"},
  };
}

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  auto rows = browse_rows(guards, on);
  web::append(rows, git_host_rows(guards, on));
  return rows;
}

}  // namespace explorer
