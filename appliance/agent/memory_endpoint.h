// The memory endpoint of the agent's gateway. The box uses it for /api/memory while the agent runs.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/agent/loop.h"
#include "appliance/agent/memory.h"
#include "web/routes/route.h"

namespace agent_process {

// GET /v1/memory?query=&limit=, POST /v1/memory {text}, DELETE /v1/memory?id=; and GET and DELETE
// /v1/peers/:peer/memory for what is remembered of a peer. The memory is used only on `files`; all arguments must
// outlive the rows.
std::vector<web::Route> memory_routes(Memory&, Loop&, boost::asio::thread_pool& files, const web::Guard&);

}  // namespace agent_process
