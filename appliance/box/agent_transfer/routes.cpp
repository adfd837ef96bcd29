#include "appliance/box/agent_transfer/routes.h"

#include "appliance/box/agent_transfer/handlers.h"

namespace agent_transfer {

namespace {

constexpr const char* export_text =
    "To a new file on the box's machine: `file` is an absolute path outside of the data folder. A tar archive, "
    "compressed with Zstandard, with the agent's config, conversation, scheduled prompts and workspace. `secrets` are "
    "the places of the config's secrets, which are not in it; `leftOut` says what else is not.";
constexpr const char* import_text =
    "As a new agent, which is not started. `file` is an absolute path on the box's machine, `owner` an e-mail address; "
    "without one the agent is the box's. All of the file is checked first; 400 with the reason if it is not sound. "
    "`secrets` are those that the owner has to set again. 429 if the owner may have no more scheduled prompts.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.backup;
  return {
      {web::POST, "/api/admin/agents/:id/export", key, nullptr,
       web::body<ExportRequest>(on(export_agent)).returns<ExportAnswer>().describe(export_text),
       "Export an agent to a file"},
      {web::POST, "/api/admin/agents/import", key, nullptr,
       web::body<ImportRequest>(on(import_agent)).returns<ImportAnswer>(201).describe(import_text),
       "Import an agent from a file"},
  };
}

}  // namespace agent_transfer
