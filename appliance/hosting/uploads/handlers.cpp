#include "appliance/hosting/uploads/handlers.h"

#include <functional>

#include "appliance/access/key_guards.h"
#include "appliance/hosting/uploads/form.h"

namespace uploads {

namespace {

using web::Request;

std::vector<FileItem> items_of(std::vector<Entry> entries) {
  std::vector<FileItem> items;
  for (auto& entry : entries) {
    const bool is_folder = entry.path.ends_with('/');
    if (is_folder) entry.path.pop_back();
    items.push_back({std::move(entry.path), is_folder ? "folder" : "file", entry.size, entry.modified});
  }
  return items;
}

constexpr std::size_t batch_bytes = 256 * 1024;  // that go to another thread at once

// Before the agent is known, each piece is read as it comes.
web::Task<web::Result<void>> read_form(const Uploads& uploads, web::BodyStream& body, FormReader& form) {
  std::string batch;
  for (bool is_end = false; !is_end;) {
    const auto piece = co_await body.next();
    if (!piece) co_return piece.error();
    is_end = piece->empty();
    batch.append(*piece);
    if (!is_end && form.has_agent() && batch.size() < batch_bytes) continue;
    const auto read = [&] {
      const auto room = uploads.admit(batch.size());
      return room ? form.take(batch) : room;
    };
    if (auto taken = co_await web::offload(uploads.receiving(), read); !taken) co_return taken.error();
    batch.clear();
  }
  co_return web::Result<void>();
}

// The agent that the query or the path of the request names; otherwise it is the form's first field.
web::Answer receive_form(const Services& services, const Request& request, std::optional<std::string> agent,
                         std::optional<std::string> folder, web::BodyStream& body) {
  const auto boundary = boundary_of(request.header("Content-Type"));
  if (!boundary) co_return boundary.error();
  auto& uploads = services.uploads;
  FormReader form(*boundary, [&](const std::string& id) { return uploads.receive(request.caller.user_id, id); });
  if (folder) form.set_folder(std::move(*folder));
  if (agent) {
    const auto open = [&] { return form.set_agent(std::move(*agent)); };
    if (auto opened = co_await web::offload(uploads.receiving(), open); !opened) co_return opened.error();
  }
  if (auto read = co_await read_form(uploads, body, form); !read) co_return read.error();
  auto incoming = form.finish();
  if (!incoming) co_return incoming.error();
  auto stored = co_await uploads.put(std::move(*incoming));
  if (!stored) co_return stored.error();
  const UploadAnswer answer{.files = items_of(std::move(*stored))};
  co_return web::reply(answer, 201);
}

std::optional<std::string> text_of(const std::optional<web::Text<0, 4'000>>& path) {
  return path ? std::optional<std::string>(*path) : std::nullopt;
}

web::Answer list_files(const Services& services, const Request& request, ListQuery query) {
  std::string path = query.path ? std::string(std::move(*query.path)) : std::string();
  auto found = co_await services.uploads.list(request.caller.user_id, std::move(query.agentId), std::move(path));
  if (!found) co_return found.error();
  FileList answer{.files = items_of(std::move(found->entries)),
                  .truncated = found->truncated,
                  .usedBytes = found->used,
                  .quotaBytes = found->quota};
  answer.count = std::int64_t(answer.files.size());
  co_return web::reply(answer, 200);
}

web::Answer upload_files(const Services& services, const Request& request, UploadQuery query, web::BodyStream& body) {
  std::optional<std::string> agent;
  if (query.agentId) agent = std::move(*query.agentId);
  co_return co_await receive_form(services, request, std::move(agent), text_of(query.path), body);
}

// To the agent that the path names.
web::Answer upload_to_agent(const Services& services, const Request& request, FolderQuery query,
                            web::BodyStream& body) {
  co_return co_await receive_form(services, request, request.param("id"), text_of(query.path), body);
}

web::Answer remove_file(const Services& services, const Request& request, RemoveRequest body) {
  const FileRemoved answer{.path = body.path};
  const auto removed = co_await services.uploads.remove(request.caller.user_id, std::move(body.agentId), answer.path);
  if (!removed) co_return removed.error();
  co_return web::reply(answer, 200);
}

const web::RateLimit files_rate{.group = "files", .limit = 100};

constexpr std::size_t largest_form = 32u << 20;

constexpr auto list_description =
    "Everything under `path` (default: the whole workspace), depth first and by name; at most 2,000 entries. The "
    "quota depends on the plan: label 100 MiB, solo 500 MiB, collective 2 GiB, network 10 GiB.";

constexpr auto upload_description =
    "multipart/form-data (RFC 7578), 32 MB in total (otherwise 413 with `limit` in bytes): the fields `agentId`, which "
    "comes before the files, and, to upload into a folder, `path`; and one part with a filename for each file, at most "
    "64 parts. Both fields may be in the query instead. The agent is checked before the files are read. Existing files "
    "are replaced, missing folders are created. 400 for names outside the workspace, through a link, or in .git or the "
    "agent's own state; 429 with current and limit (bytes) and the code STORAGE_LIMIT_REACHED beyond the quota; 503 "
    "while four forms over 1 MB are being received, or two from one address. If one file is refused, none is written.";

constexpr auto agent_upload_description = "As POST /api/files, for the agent that the path names.";

constexpr auto remove_description =
    "A file or an empty folder. agentId and path are in the body or, without a body, in the query.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& owner = agentbox::session_or_key(guards, key_scopes::Scope::files);
  return {
      {web::GET, "/api/files", owner, &files_rate,
       web::query<ListQuery>(on(list_files)).returns<FileList>().describe(list_description), "List an agent's files"},
      {web::POST, "/api/files", owner, &files_rate,
       web::stream<UploadQuery>(largest_form, on(upload_files)).returns<UploadAnswer>(201).describe(upload_description),
       "Upload files to an agent's workspace"},
      {web::POST, "/api/agents/:id/files/upload", owner, &files_rate,
       web::stream<FolderQuery>(largest_form, on(upload_to_agent))
           .returns<UploadAnswer>(201)
           .describe(agent_upload_description),
       "Upload files to this agent's workspace"},
      {web::DELETE, "/api/files", owner, &files_rate,
       web::body_or_query<RemoveRequest>(on(remove_file)).returns<FileRemoved>().describe(remove_description),
       "Remove one of an agent's files"},
  };
}

}  // namespace uploads
