#include "web/server/arriving_body.h"

namespace web {
namespace {

Kind kind_of(int status) {
  switch (status) {
    case 0:
      return Kind::abandoned;
    case 408:
      return Kind::timeout;
    case 413:
      return Kind::too_large;
    default:
      return Kind::invalid;
  }
}

}  // namespace

std::optional<std::uint64_t> ArrivingBody::length() const {
  return head_.body == Framing::sized ? std::optional(head_.content_length) : std::nullopt;
}

Error ArrivingBody::fail(Refusal refusal) {
  refusal_ = refusal;
  return {.kind = kind_of(refusal.status), .message = std::string(refusal.reason)};
}

Task<Result<std::string_view>> ArrivingBody::next() {
  if (std::exchange(continues_, false))
    if (co_await wire_.write("HTTP/1.1 100 Continue\r\n\r\n", {}, limits_.write_time)) co_return fail({0, {}});
  const auto left = std::max(deadline_ - Clock::now(), Clock::duration(1));
  const auto piece = co_await reader_.next(std::min<Clock::duration>(limits_.body_stall_time, left));
  switch (piece.kind) {
    case BodyReader::Piece::Kind::data:
      co_return piece.bytes;
    case BodyReader::Piece::Kind::end:
      co_return std::string_view();
    case BodyReader::Piece::Kind::refused:
      co_return fail(piece.refusal);
    case BodyReader::Piece::Kind::closed:
      co_return fail({0, {}});
    case BodyReader::Piece::Kind::late:
      break;
  }
  co_return fail({408, body_late});
}

}  // namespace web
