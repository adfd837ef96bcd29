#include "appliance/hosting/agent_files/routes.h"

#include "appliance/files/explorer/descriptions.h"
#include "appliance/hosting/agent_files/descriptions.h"
#include "appliance/hosting/agent_files/handlers.h"
#include "appliance/identity/key_scopes/key_guards.h"

namespace agent_files {

namespace {

using enum web::Kind;
using web::body;
using web::query;

const web::RateLimit files_rate{.group = "agent-files", .limit = 300};

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& owner = agentbox::session_or_key(guards, key_scopes::Scope::files);
  std::vector<web::Route> table{
      {web::GET, "/api/agents/:id/files/tree", owner, &files_rate,
       query<TreeQuery>(on(show_tree)).returns<explorer::TreeAnswer>().describe(explorer::descriptions::tree),
       "List an agent's files and folders"},
      {web::GET, "/api/agents/:id/files/read", owner, &files_rate,
       query<FileQuery>(on(read_file)).returns<explorer::ReadAnswer>().describe(descriptions::read),
       "Read a text file of an agent"},
      {web::GET, "/api/agents/:id/files/raw", owner, &files_rate,
       explorer::sends("application/octet-stream", query<FileQuery>(on(send_raw_file)).describe(descriptions::raw)),
       "Download an agent's file or a part of it"},
      {web::GET, "/api/agents/:id/files/search", owner, &files_rate,
       query<SearchQuery>(on(search_files)).returns<explorer::SearchAnswer>().describe(explorer::descriptions::search),
       "Search an agent's files for text"},
      {web::POST, "/api/agents/:id/files/write", owner, &files_rate,
       body<explorer::WriteBody>(on(write_file))
           .returns<explorer::WriteAnswer>()
           .fails({unavailable})
           .describe(descriptions::write),
       "Write a text file of an agent"},
      {web::POST, "/api/agents/:id/files/mkdir", owner, &files_rate,
       body<FolderBody>(on(make_folder))
           .returns<FolderAnswer>(201)
           .fails({conflict, unavailable})
           .describe(descriptions::make_folder),
       "Make a folder in an agent's workspace"},
      {web::POST, "/api/agents/:id/files/move", owner, &files_rate,
       body<explorer::MoveBody>(on(move_file))
           .returns<explorer::MoveAnswer>()
           .fails({conflict, unavailable})
           .describe(descriptions::move),
       "Rename an agent's file or folder"},
      {web::DELETE, "/api/agents/:id/files", owner, &files_rate,
       query<FileQuery>(on(remove_file))
           .returns<explorer::RemoveAnswer>()
           .fails({conflict})
           .describe(descriptions::remove),
       "Remove an agent's file or empty folder"},
      {web::GET, "/api/agents/:id/files/status", owner, &files_rate,
       web::plain(on(show_status))
           .returns<explorer::StatusAnswer>()
           .fails({conflict})
           .describe(explorer::descriptions::status),
       "List the changes in an agent's workspace since its last commit"},
      {web::GET, "/api/agents/:id/files/diff", owner, &files_rate,
       query<DiffQuery>(on(show_diff))
           .returns<explorer::DiffAnswer>()
           .fails({conflict})
           .describe(explorer::descriptions::diff),
       "Show the changes in an agent's workspace as patches"},
      {web::GET, "/api/agents/:id/files/log", owner, &files_rate,
       query<LogQuery>(on(show_log))
           .returns<explorer::LogAnswer>()
           .fails({conflict})
           .describe(explorer::descriptions::log),
       "List the newest commits of an agent's workspace"},
      {web::GET, "/api/agents/:id/files/show", owner, &files_rate,
       query<ShowQuery>(on(show_commit))
           .returns<explorer::ShowAnswer>()
           .fails({conflict})
           .describe(explorer::descriptions::show),
       "Show a commit of an agent's workspace, and a file as of it"},
      {web::POST, "/api/agents/:id/files/commit", owner, &files_rate,
       body<explorer::SyncBody>(on(commit_files))
           .returns<CommitAnswer>()
           .fails({conflict})
           .describe(descriptions::commit),
       "Commit everything in an agent's workspace"},
  };
  // An unknown file, all threads busy, and a failing disk or repository.
  for (auto& row : table) row.endpoint = std::move(row.endpoint).fails({not_found, too_many, internal});
  return table;
}

}  // namespace agent_files
