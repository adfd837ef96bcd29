// A minimal HTTP GET to a gateway on this machine, cheap enough for a thousand agents every few seconds. Everything
// else uses web::fetch.
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
  std::string body;  // possibly truncated
};

// GET over HTTP/1.0 from 127.0.0.1, reading at most 64 KB. The error message says what happened instead of an answer.
web::Task<web::Result<LoopbackAnswer>> ask_loopback(std::uint16_t port, std::string_view path,
                                                    std::chrono::milliseconds timeout);

}  // namespace watchdog
