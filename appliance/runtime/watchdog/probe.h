// Checks the health of an agent's gateway.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "appliance/runtime/watchdog/state_machine.h"
#include "web/task.h"

namespace watchdog {

// GET /healthz on 127.0.0.1: good when it answers 200 and does not say `ok: false`. A check of readiness also asks
// /readyz, which must answer 200 and not say `ready: false`. With a `path`, only that is asked, as /healthz. `timeout`
// is for each request.
web::Task<Report> probe(std::uint16_t port, Command check, std::chrono::milliseconds timeout, std::string path = {});

}  // namespace watchdog
