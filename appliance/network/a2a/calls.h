// Carries out the calls of A2A.
#pragma once

#include "appliance/network/a2a/rpc.h"
#include "appliance/network/a2a/tasks.h"
#include "web/protocol/http.h"
#include "web/task.h"

namespace a2a {

// The caller is one whom the agent admits. Errors are JSON-RPC errors. `tasks` must outlive the response.
web::Task<web::Response> answer(Tasks& tasks, bus::Participant agent, Caller caller, Call call);

}  // namespace a2a
