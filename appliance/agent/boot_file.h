// The configuration file with which an engine starts an agent.
#pragma once

#include <filesystem>

#include "appliance/runtime/engine.h"
#include "web/result.h"

namespace agent_process {

// Kind::invalid with a sentence that names the field or says why the file cannot be read; never including its content.
web::Result<runtime::Boot> read_boot_file(const std::filesystem::path&);

}  // namespace agent_process
