#include "appliance/runtime/agent_files.h"

#include <boost/json.hpp>
#include <system_error>

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

void prepare_files(const RunFolder& folder, const AgentSpec& spec, const Boot& boot, std::optional<uid_t> user) {
  folder.create();
  std::filesystem::create_directories(spec.workspace);
  std::filesystem::permissions(spec.workspace, std::filesystem::perms::owner_all);
  if (user) give_workspace(spec.workspace, *user);
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
