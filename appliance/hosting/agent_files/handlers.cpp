#include "appliance/hosting/agent_files/handlers.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/access/key_guards.h"
#include "appliance/agent/workspace_path.h"
#include "appliance/files/explorer/descriptions.h"
#include "appliance/hosting/agent_files/descriptions.h"
#include "web/json.h"

namespace agent_files {

namespace {

using web::Request;

web::Result<AgentFiles::Access> access_of(const Services& services, const Request& request) {
  return services.files.access(request.caller.user_id, request.param("id"));
}

explorer::TextQuery text_query(SearchQuery query) {
  explorer::TextQuery search{.text = std::move(query.q),
                             .is_regexp = query.regex.value_or(false),
                             .ignores_case = query.ignoreCase.value_or(false),
                             .path = explorer::path_of(query.path)};
  if (query.limit) search.matches = std::size_t(query.limit->value);
  return search;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

web::Answer show_tree(const Services& services, const Request& request, TreeQuery query) {
  const auto access = access_of(services, request);
  if (!access) co_return access.error();
  const auto depth = explorer::depth_of(query.depth);
  const auto found = co_await services.files.explorer().tree(access->agent, explorer::path_of(query.path), depth);
  if (!found) co_return found.error();
  co_return explorer::view(*found);
}

web::Answer read_file(const Services& services, const Request& request, FileQuery query) {
  const auto access = access_of(services, request);
  if (!access) co_return access.error();
  auto file = co_await services.files.explorer().read(access->agent, std::move(query.path));
  if (!file) co_return file.error();
  co_return explorer::view(std::move(*file));
}

web::Answer send_raw_file(const Services& services, const Request& request, FileQuery query) {
  const auto access = access_of(services, request);
  if (!access) co_return access.error();
  auto& explorer = services.files.explorer();
  auto opened = co_await explorer.open_raw(access->agent, std::move(query.path));
  if (!opened) co_return opened.error();
  co_return explorer::view(request, std::move(*opened), explorer);
}

web::Answer search_files(const Services& services, const Request& request, SearchQuery query) {
  const auto access = access_of(services, request);
  if (!access) co_return access.error();
  if (query.q.empty()) co_return web::invalid("q must not be empty");
  auto found = co_await services.files.explorer().search(access->agent, text_query(std::move(query)));
  if (!found) co_return found.error();
  co_return explorer::view(std::move(*found));
}

web::Answer write_file(const Services& services, const Request& request, explorer::WriteBody body) {
  const auto access = access_of(services, request);
  if (!access) co_return access.error();
  const auto size = body.content.size();
  auto path = co_await services.files.write(*access, std::move(body.path), std::move(body.content));
  if (!path) co_return path.error();
  const explorer::WriteAnswer answer{.path = std::move(*path), .size = size};
  co_return web::reply(answer);
}

web::Answer make_folder(const Services& services, const Request& request, FolderBody body) {
  const auto access = access_of(services, request);
  if (!access) co_return access.error();
  auto path = co_await services.files.explorer().make_folder(access->agent, std::move(body.path));
  if (!path) co_return path.error();
  const FolderAnswer answer{.path = std::move(*path)};
  co_return web::reply(answer, 201);
}

web::Answer move_file(const Services& services, const Request& request, explorer::MoveBody body) {
  const auto access = access_of(services, request);
  if (!access) co_return access.error();
  const bool overwrite = body.overwrite.value_or(false);
  const auto moved =
      co_await services.files.explorer().move(access->agent, std::move(body.from), std::move(body.to), overwrite);
  if (!moved) co_return moved.error();
  const explorer::MoveAnswer answer{.from = moved->from, .to = moved->to};
  co_return web::reply(answer);
}

web::Answer remove_file(const Services& services, const Request& request, FileQuery query) {
  const auto access = access_of(services, request);
  if (!access) co_return access.error();
  auto removed = co_await services.files.explorer().remove(access->agent, std::move(query.path));
  if (!removed) co_return removed.error();
  const explorer::RemoveAnswer answer{.path = std::move(*removed)};
  co_return web::reply(answer);
}

web::Answer show_status(const Services& services, const Request& request) {
  const auto access = access_of(services, request);
  if (!access) co_return access.error();
  const auto found = co_await services.files.explorer().status(access->agent);
  if (!found) co_return found.error();
  co_return explorer::view(*found);
}

web::Answer show_diff(const Services& services, const Request& request, DiffQuery query) {
  const auto access = access_of(services, request);
  if (!access) co_return access.error();
  auto found = for_owner(co_await services.files.explorer().diff(access->agent, explorer::path_of(query.path)));
  if (!found) co_return found.error();
  co_return explorer::view(std::move(*found));
}

web::Answer show_log(const Services& services, const Request& request, LogQuery query) {
  const auto access = access_of(services, request);
  if (!access) co_return access.error();
  const auto limit = explorer::commits_of(query.limit);
  const auto found = for_owner(co_await services.files.explorer().log(access->agent, limit));
  if (!found) co_return found.error();
  co_return explorer::view(*found);
}

web::Answer show_commit(const Services& services, const Request& request, ShowQuery query) {
  const auto access = access_of(services, request);
  if (!access) co_return access.error();
  std::string revision = query.rev ? std::string(*query.rev) : "HEAD";
  auto path = explorer::path_of(query.path);
  auto found = for_owner(co_await services.files.explorer().show(access->agent, std::move(revision), std::move(path)));
  if (!found) co_return found.error();
  co_return explorer::view(std::move(*found));
}

web::Answer commit_files(const Services& services, const Request& request, explorer::SyncBody body) {
  const auto access = access_of(services, request);
  if (!access) co_return access.error();
  std::string message = body.message && !is_blank(*body.message) ? std::string(*body.message) : "Update files";
  auto committed = co_await services.files.commit(*access, std::move(message));
  if (!committed) co_return committed.error();
  const CommitAnswer answer{
      .committed = committed->hash.has_value(), .hash = committed->hash, .branch = committed->branch};
  co_return web::reply(answer);
}

using enum web::Kind;
using web::body;
using web::query;

const web::RateLimit files_rate{.group = "agent-files", .limit = 300};

// The files that a request to write or move makes.
std::vector<std::string> written_paths(const Request& request) {
  if (request.method != web::POST) return {};
  boost::system::error_code failed;
  const auto body = boost::json::parse(request.body, failed);
  const auto* object = failed ? nullptr : body.if_object();
  std::vector<std::string> paths;
  for (const auto* name : {"path", "to"})
    if (auto path = object ? web::string_member(*object, name) : std::string(); !path.empty())
      paths.push_back(std::move(path));
  return paths;
}

// A row of the owner's, for those who build the agent of another. What they write is the text of another user.
web::Answer as_builder(const ServicesForBuilders& services, const web::Handler& row, Request& request) {
  const auto access = services.sharing.require(request.caller.user_id, request.param("id"), sharing::Role::builder);
  if (!access) co_return access.error();
  const auto paths = written_paths(request);
  // Uploads::write, which knows the owner only, hides less. The row refuses what else is wrong, and names the field.
  for (const auto& path : paths) {
    const auto shown = files::components_of(path, is_hidden_from_builders);
    if (!shown && files::components_of(path, [](std::string_view) { return false; })) co_return shown.error();
  }
  for (const auto& path : paths)
    services.turns.taint_file(access->owner, access->agent, path, "a file of another user");
  request.caller.user_id = access->owner;
  co_return co_await row(request);
}

constexpr std::string_view own_prefix = "/api/agents/:id/files";

bool is_for_builders(std::string_view path) {
  constexpr std::string_view ends[] = {"", "/tree", "/read", "/raw", "/search", "/write", "/mkdir", "/move"};
  return std::ranges::find(ends, path.substr(own_prefix.size())) != std::end(ends);
}

// Services or ServicesForBuilders.
template <class S>
std::vector<web::Route> rows(const agentbox::Guards& guards, const web::Bind<S>& on) {
  const auto& owner = agentbox::session_or_key(guards, key_scopes::Scope::files);
  std::vector<web::Route> table{
      {web::GET, "/api/agents/:id/files/tree", owner, &files_rate,
       query<TreeQuery>(on(show_tree)).template returns<explorer::TreeAnswer>().describe(explorer::descriptions::tree),
       "List an agent's files and folders"},
      {web::GET, "/api/agents/:id/files/read", owner, &files_rate,
       query<FileQuery>(on(read_file)).template returns<explorer::ReadAnswer>().describe(descriptions::read),
       "Read a text file of an agent"},
      {web::GET, "/api/agents/:id/files/raw", owner, &files_rate,
       explorer::sends("application/octet-stream", query<FileQuery>(on(send_raw_file)).describe(descriptions::raw)),
       "Download an agent's file or a part of it"},
      {web::GET, "/api/agents/:id/files/search", owner, &files_rate,
       query<SearchQuery>(on(search_files))
           .template returns<explorer::SearchAnswer>()
           .describe(explorer::descriptions::search),
       "Search an agent's files for text"},
      {web::POST, "/api/agents/:id/files/write", owner, &files_rate,
       body<explorer::WriteBody>(on(write_file))
           .template returns<explorer::WriteAnswer>()
           .fails({unavailable})
           .describe(descriptions::write),
       "Write a text file of an agent"},
      {web::POST, "/api/agents/:id/files/mkdir", owner, &files_rate,
       body<FolderBody>(on(make_folder))
           .template returns<FolderAnswer>(201)
           .fails({conflict, unavailable})
           .describe(descriptions::make_folder),
       "Make a folder in an agent's workspace"},
      {web::POST, "/api/agents/:id/files/move", owner, &files_rate,
       body<explorer::MoveBody>(on(move_file))
           .template returns<explorer::MoveAnswer>()
           .fails({conflict, unavailable})
           .describe(descriptions::move),
       "Rename an agent's file or folder"},
      {web::DELETE, "/api/agents/:id/files", owner, &files_rate,
       query<FileQuery>(on(remove_file))
           .template returns<explorer::RemoveAnswer>()
           .fails({conflict})
           .describe(descriptions::remove),
       "Remove an agent's file or empty folder"},
      {web::GET, "/api/agents/:id/files/status", owner, &files_rate,
       web::plain(on(show_status))
           .template returns<explorer::StatusAnswer>()
           .fails({conflict})
           .describe(explorer::descriptions::status),
       "List the changes in an agent's workspace since its last commit"},
      {web::GET, "/api/agents/:id/files/diff", owner, &files_rate,
       query<DiffQuery>(on(show_diff))
           .template returns<explorer::DiffAnswer>()
           .fails({conflict})
           .describe(explorer::descriptions::diff),
       "Show the changes in an agent's workspace as patches"},
      {web::GET, "/api/agents/:id/files/log", owner, &files_rate,
       query<LogQuery>(on(show_log))
           .template returns<explorer::LogAnswer>()
           .fails({conflict})
           .describe(explorer::descriptions::log),
       "List the newest commits of an agent's workspace"},
      {web::GET, "/api/agents/:id/files/show", owner, &files_rate,
       query<ShowQuery>(on(show_commit))
           .template returns<explorer::ShowAnswer>()
           .fails({conflict})
           .describe(explorer::descriptions::show),
       "Show a commit of an agent's workspace, and a file as of it"},
      {web::POST, "/api/agents/:id/files/commit", owner, &files_rate,
       body<explorer::SyncBody>(on(commit_files))
           .template returns<CommitAnswer>()
           .fails({conflict})
           .describe(descriptions::commit),
       "Commit everything in an agent's workspace"},
  };
  // An unknown file, all threads busy, and a failing disk or repository.
  for (auto& row : table) row.endpoint = std::move(row.endpoint).fails({not_found, too_many, internal});
  return table;
}

}  // namespace

bool is_hidden_from_builders(std::string_view component) {
  return agent_process::is_reserved(component) || component == agent_process::kept_results_folder;
}

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return rows(guards, on);
}

std::vector<web::Route> routes_for_builders(const agentbox::Guards& guards, const web::Bind<ServicesForBuilders>& on) {
  std::vector<web::Route> table;
  for (auto& own : rows(guards, on)) {
    if (!is_for_builders(own.path)) continue;
    auto endpoint = std::move(own.endpoint);
    endpoint.handle = on(as_builder, std::move(endpoint.handle));
    table.push_back({own.method, "/api/shared/:id/files" + own.path.substr(own_prefix.size()), guards.session, own.rate,
                     std::move(endpoint), own.summary + " that is shared with the caller as a builder"});
  }
  return table;
}

}  // namespace agent_files
