#include "appliance/hosting/uploads/routes.h"

#include <functional>

#include "appliance/hosting/uploads/handlers.h"
#include "appliance/identity/key_scopes/key_guards.h"

namespace uploads {

namespace {

const web::RateLimit files_rate{.group = "files", .limit = 100};

constexpr std::size_t largest_form = 32u << 20;

constexpr auto listing =
    "Everything beneath `path` (default: the whole workspace), depth first and by name; at most 2,000 entries. The "
    "quota depends on the plan: label 100 MiB, solo 500 MiB, collective 2 GiB, network 10 GiB.";

constexpr auto uploading =
    "multipart/form-data (RFC 7578), 32 MB in total (otherwise 413 with `limit` in bytes): the fields `agentId`, which "
    "comes before the files, and, to upload into a folder, `path`; and one part with a filename for each file, at most "
    "64 parts. Both fields may be in the query instead. The agent is checked before the files are read. Existing files "
    "are replaced, missing folders are created. 400 for names outside the workspace, through a link, or in .git or the "
    "agent's own state; 429 with current and limit (bytes) and the code STORAGE_LIMIT_REACHED beyond the quota; 503 "
    "while four forms over 1 MB are being received, or two from one address. If one file is refused, none is written.";

constexpr auto uploading_to_agent = "As POST /api/files, for the agent that the path names.";

constexpr auto removing =
    "A file or an empty folder. agentId and path are in the body or, without a body, in the query.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& owner = agentbox::session_or_key(guards, key_scopes::Scope::files);
  return {
      {web::GET, "/api/files", owner, &files_rate,
       web::query<ListQuery>(on(list_files)).returns<FileList>().describe(listing), "List an agent's files"},
      {web::POST, "/api/files", owner, &files_rate,
       web::stream<UploadQuery>(largest_form, on(upload_files)).returns<UploadAnswer>(201).describe(uploading),
       "Upload files to an agent's workspace"},
      {web::POST, "/api/agents/:id/files/upload", owner, &files_rate,
       web::stream<FolderQuery>(largest_form, on(upload_to_agent))
           .returns<UploadAnswer>(201)
           .describe(uploading_to_agent),
       "Upload files to this agent's workspace"},
      {web::DELETE, "/api/files", owner, &files_rate,
       web::body_or_query<RemoveRequest>(on(remove_file)).returns<FileRemoved>().describe(removing),
       "Remove one of an agent's files"},
  };
}

}  // namespace uploads
