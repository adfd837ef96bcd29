// The agent's memory for its owner: what the box serves as /api/memory while the agent runs.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/hosting/agent_process/memory.h"
#include "web/route.h"

namespace agent_process {

// GET /v1/memory?query=&limit=, POST /v1/memory {text}, DELETE /v1/memory?id=. The memory is used on `files` only; all
// of them must outlive the rows.
std::vector<web::Route> memory_routes(Memory&, boost::asio::thread_pool& files, const web::Guard&);

}  // namespace agent_process
