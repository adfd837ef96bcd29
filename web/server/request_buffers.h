// What a connection holds only while it has a request: connections that wait for one share these objects.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "web/protocol/http.h"
#include "web/server/input_buffer.h"

namespace web {

struct RequestBuffers {
  InputBuffer input;
  std::string output;
  Request request;
};

// The spare buffers of one thread's connections. The next request takes those that were used last, so that they are in
// the processor's caches and need no allocation.
class BufferPool {
 public:
  std::unique_ptr<RequestBuffers> take() {
    if (spare_.empty()) return std::make_unique<RequestBuffers>();
    auto buffers = std::move(spare_.back());
    spare_.pop_back();
    return buffers;
  }
  // Null is ignored. The input must be empty.
  void put(std::unique_ptr<RequestBuffers> buffers) {
    if (!buffers || spare_.size() >= max_spare) return;
    auto& request = buffers->request;  // of another client next
    request.caller = {};
    request.headers.clear();
    request.params.clear();
    spare_.push_back(std::move(buffers));
  }

 private:
  static constexpr std::size_t max_spare = 64;
  std::vector<std::unique_ptr<RequestBuffers>> spare_;
};

}  // namespace web
