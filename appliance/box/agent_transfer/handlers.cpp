#include "appliance/box/agent_transfer/handlers.h"

#include "appliance/foundation/email.h"
#include "web/routes/reply.h"

namespace agent_transfer {

namespace {

web::Answer export_agent(const Services& services, const web::Request& request, ExportRequest asked) {
  std::string file = asked.file;
  auto exported = co_await services.transfer.export_to(file, request.param("id"));
  auto entry = audit::of_request(request, "agent exported by admin", request.param("id"));
  if (!exported) entry.outcome = exported.error().message;
  co_await services.audit.note(std::move(entry));
  if (!exported) co_return exported.error();
  const ExportAnswer answer{.file = std::move(file),
                            .bytes = static_cast<std::int64_t>(exported->bytes),
                            .secrets = std::move(exported->secrets),
                            .leftOut = std::move(exported->left_out)};
  co_return web::reply(answer, 200);
}

web::Answer import_agent(const Services& services, const web::Request& request, ImportRequest asked) {
  store::UserId owner = 0;
  if (asked.owner) {
    const auto email = agentbox::normalised_email(*asked.owner);
    const auto user = email ? services.accounts.find_by_email(*email) : std::nullopt;
    if (!user) co_return web::invalid("owner must be the e-mail address of a user");
    owner = user->id;
  }
  auto imported = co_await services.transfer.import_from(std::string(asked.file), owner);
  auto entry = audit::of_request(request, "agent imported by admin", imported ? imported->agent.id : std::string());
  entry.user_id = owner;
  if (!imported) entry.outcome = imported.error().message;
  co_await services.audit.note(std::move(entry));
  if (!imported) co_return imported.error();
  const ImportAnswer answer{.id = imported->agent.id,
                            .name = imported->agent.name,
                            .messages = static_cast<std::int64_t>(imported->messages),
                            .schedules = static_cast<std::int64_t>(imported->schedules),
                            .secrets = std::move(imported->secrets)};
  co_return web::reply(answer, 201);
}

constexpr const char* export_text =
    "To a new file on the box's machine: `file` is an absolute path outside of the data folder. A tar archive, "
    "compressed with Zstandard, with the agent's config, conversation, scheduled prompts, workspace and volumes. "
    "`secrets` are "
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
