// Reads the log of a container from the Docker Engine.
#pragma once

#include <string>
#include <vector>

#include "appliance/runtime/docker/docker_api.h"
#include "appliance/runtime/engine.h"

namespace runtime::docker {

// `container` is its path in the API: "/containers/<name>". Api and arguments must outlive the coroutines.

web::Task<web::Result<std::vector<std::string>>> last_lines(Api&, std::string container, std::size_t count);
// The newest lines of both if there are more than the query's limit; with `after`, the oldest.
LogPage joined(LogPage former, LogPage current, const LogQuery&);
// See Engine::read_log and Engine::follow_log. Ids are made from the engine's timestamps.
web::Task<web::Result<LogPage>> read_log(Api&, std::string container, LogQuery);
web::Task<web::Result<void>> follow_log(Api&, std::string container, std::string after, LogSink sink);

}  // namespace runtime::docker
