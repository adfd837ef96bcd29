// A streamed body on the wire.
#pragma once

#include <functional>
#include <memory>

#include "web/protocol/http.h"
#include "web/server/async_mutex.h"

namespace web {

// Writes chunks, or bare bytes for HTTP/1.0 where the end of the connection ends the body.
class BodyWriter final : public StreamWriter {
 public:
  BodyWriter(Wire& wire, bool chunked, Clock::duration write_time)
      : wire_(wire), chunked_(chunked), write_time_(write_time), writing_(wire.get_executor()) {}

  Task<> write(std::string bytes) override;
  // Ends the body, after a write that may still be in progress.
  Task<> finish();
  // Writes an SSE comment unless a write is in progress: it keeps middleboxes from closing the connection and detects a
  // client that is gone. Calls `failed` if it could not be written; `self` keeps this and its wire alive meanwhile.
  void heartbeat(std::shared_ptr<void> self, std::function<void()> failed);
  std::size_t written() const { return written_; }

 private:
  Task<> write_unlocked(std::string bytes);

  Wire& wire_;
  bool chunked_;
  Clock::duration write_time_;
  AsyncMutex writing_;
  std::size_t written_ = 0;
};

}  // namespace web
