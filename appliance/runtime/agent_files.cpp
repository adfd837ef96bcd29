#include "appliance/runtime/agent_files.h"

#include <boost/json.hpp>
#include <system_error>

#include "appliance/foundation/data_folder.h"
#include "appliance/runtime/agent_user.h"
#include "web/run_on.h"

namespace runtime {

Boot boot_of(const AgentSpec& spec, BootAddresses addresses) {
  return {.agent_id = spec.id,
          .name = spec.name,
          .model = spec.model,
          .listen = std::move(addresses.listen),
          .workspace = std::move(addresses.workspace),
          .gateway_token = spec.gateway_token,
          .box_token = spec.box_token,
          .backend_url = std::move(addresses.backend_url),
          .summarizer_url = std::move(addresses.summarizer_url),
          .conduct = spec.conduct,
          .storage_bytes = std::int64_t(spec.limits.file_bytes),
          .disk_reserve = std::int64_t(spec.disk_reserve)};
}

std::filesystem::path volumes_of(const AgentSpec& spec) {
  return spec.workspace.parent_path() / agentbox::volumes_folder;
}

namespace {

void prepare_folder(const std::filesystem::path& folder, std::optional<uid_t> user) {
  std::filesystem::create_directories(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  if (user) give_workspace(folder, *user);
}

}  // namespace

void prepare_files(const RunFolder& folder, const AgentSpec& spec, const Boot& boot, std::optional<uid_t> user) {
  folder.create();
  prepare_folder(spec.workspace, user);
  for (const auto& [name, path] : spec.volumes) prepare_folder(volumes_of(spec) / name, user);
  folder.write_boot(boost::json::serialize(boost::json::value_from(boot)), user);
}

web::Error files_not_written(const std::system_error& error) {
  return web::internal(std::string("The agent's files cannot be written: ") + error.what());
}

web::Task<web::Result<void>> remove_run_files(RunFolder folder, boost::asio::thread_pool& files) {
  auto work = [folder]() -> std::string {
    try {
      folder.remove();
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  };
  const auto failure = co_await web::offload(files, std::move(work));
  if (!failure.empty()) co_return web::internal("The agent's run files cannot be removed: " + failure);
  co_return web::Result<void>();
}

}  // namespace runtime
