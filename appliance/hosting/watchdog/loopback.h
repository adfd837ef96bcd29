// One question to a gateway on this machine, as cheaply as it can be put: a thousand agents are asked every few
// seconds. For everything else there is web::fetch.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "web/result.h"
#include "web/task.h"

namespace watchdog {

struct LoopbackAnswer {
  int status = 0;
  std::string body;  // as far as it came
};

// GET over HTTP/1.0 from 127.0.0.1, of which the first 64 KB are read. The Error says what came instead of an answer.
web::Task<web::Result<LoopbackAnswer>> ask_loopback(std::uint16_t port, std::string_view path,
                                                    std::chrono::milliseconds patience);

}  // namespace watchdog
