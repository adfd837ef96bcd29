// A body that its handler reads while it arrives; see route.h.
#pragma once

#include <utility>

#include "web/protocol/http.h"

namespace web {

class BodyStream {
 public:
  virtual ~BodyStream() = default;
  // As announced; nothing for a chunked body.
  virtual std::optional<std::uint64_t> length() const = 0;
  // Waits for the next piece, which is valid until the next call; an empty piece is the end. An error means that the
  // body cannot be read to its end (too large, malformed, too slow, or the client has disconnected). It is final: the
  // handler returns it.
  virtual Task<Result<std::string_view>> next() = 0;
};

// A body that has arrived with its head.
class WholeBody final : public BodyStream {
 public:
  explicit WholeBody(std::string_view body) : body_(body), size_(body.size()) {}
  std::optional<std::uint64_t> length() const override { return size_; }
  Task<Result<std::string_view>> next() override { co_return std::exchange(body_, {}); }

 private:
  std::string_view body_;  // not read yet
  const std::size_t size_;
};

}  // namespace web
