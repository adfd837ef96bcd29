// The body of a request as a stream, read from the connection while it arrives.
#pragma once

#include "web/routes/body_stream.h"
#include "web/server/body_reader.h"
#include "web/server/dispatch.h"

namespace web {

// Sends 100 Continue, if the client waits for that, before the first read.
class ArrivingBody final : public BodyStream {
 public:
  // `input` begins with the first bytes of the body. The arguments must outlive this.
  ArrivingBody(Wire& wire, InputBuffer& input, const RequestHead& head, const BodyRoom& room, const Limits& limits)
      : wire_(wire),
        head_(head),
        limits_(limits),
        continues_(head.expects_continue && input.empty()),
        deadline_(Clock::now() + room.time),
        reader_(wire, input, head.body, head.content_length, room.bytes) {}

  std::optional<std::uint64_t> length() const override;
  Task<Result<std::string_view>> next() override;

  // The whole body has been read.
  bool done() const { return reader_.done(); }
  // Why it cannot be read to its end; status 0: the client has disconnected.
  const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  Error fail(Refusal);

  Wire& wire_;
  const RequestHead& head_;
  const Limits& limits_;
  bool continues_;  // the client waits for 100 Continue
  const Clock::time_point deadline_;
  BodyReader reader_;
  std::optional<Refusal> refusal_;
};

}  // namespace web
