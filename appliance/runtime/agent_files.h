// The files that an agent needs to run, whichever engine runs it: its workspace and its boot file.
#pragma once

#include <sys/types.h>

#include <boost/asio/thread_pool.hpp>
#include <optional>
#include <string>

#include "appliance/runtime/engine.h"
#include "appliance/runtime/run_folder.h"

namespace runtime {

// As the agent sees them.
struct BootAddresses {
  std::string listen, workspace, backend_url, summarizer_url;
};
Boot boot_of(const AgentSpec&, BootAddresses);

// The folder of its volumes.
std::filesystem::path volumes_of(const AgentSpec&);
// Creates the run folder, the workspace, volumes and the boot file; workspace and boot file belong to `user` if given.
// Blocks. Throws std::system_error.
void prepare_files(const RunFolder&, const AgentSpec&, const Boot&, std::optional<uid_t> user);
// The failure of prepare_files as callers see it.
web::Error files_not_written(const std::system_error&);

// On `files`.
web::Task<web::Result<void>> remove_run_files(RunFolder, boost::asio::thread_pool& files);

}  // namespace runtime
