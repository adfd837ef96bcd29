#include "web/server/body_reader.h"

namespace web {
namespace {

constexpr std::size_t body_read_bytes = 16 * 1024;

}  // namespace

std::optional<BodyReader::Piece> BodyReader::take() {
  input_.consume(std::exchange(lent_, 0));
  auto arrived = input_.view();
  Piece end{.kind = Piece::Kind::end, .bytes = {}, .refusal = {}};
  Piece data{.kind = Piece::Kind::data, .bytes = arrived, .refusal = {}};
  switch (framing_) {
    case Framing::none:
      done_ = true;
      return end;
    case Framing::sized:
      if (remaining_ == 0) {
        done_ = true;
        return end;
      }
      if (arrived.empty()) return std::nullopt;
      data.bytes = arrived.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, arrived.size())));
      remaining_ -= data.bytes.size();
      lent_ = data.bytes.size();
      return data;
    case Framing::until_close:
      if (arrived.empty()) return std::nullopt;
      lent_ = arrived.size();
      return data;
    case Framing::chunked:
      break;
  }
  auto step = chunks_.next(arrived);
  switch (step.state) {
    case ChunkDecoder::State::need_more:
      input_.consume(step.consumed);
      return std::nullopt;
    case ChunkDecoder::State::data:
      data.bytes = step.data;
      lent_ = step.consumed;
      return data;
    case ChunkDecoder::State::done:
      input_.consume(step.consumed);
      done_ = true;
      return end;
    case ChunkDecoder::State::refused:
      break;
  }
  return Piece{.kind = Piece::Kind::refused, .bytes = {}, .refusal = {step.status, step.reason}};
}

Task<BodyReader::Piece> BodyReader::next(std::optional<Clock::duration> progress) {
  for (;;) {
    if (auto piece = take()) co_return *piece;
    if (progress) wire_.arm(*progress);
    auto [error, size] = co_await wire_.async_read_some(input_.prepare(body_read_bytes), use_tuple);
    if (progress) wire_.disarm();
    Piece stop;
    if (wire_.expired()) {
      stop.kind = Piece::Kind::late;
      co_return stop;
    }
    if (error) {
      done_ = framing_ == Framing::until_close && error == boost::asio::error::eof;
      stop.kind = done_ ? Piece::Kind::end : Piece::Kind::closed;
      co_return stop;
    }
    input_.commit(size);
  }
}

Task<std::optional<Refusal>> BodyReader::read_all(std::string& into, Clock::duration time, Clock::duration stall) {
  const auto deadline = Clock::now() + time;
  for (;;) {
    const auto left = std::max(deadline - Clock::now(), Clock::duration(1));
    const auto piece = co_await next(std::min(stall, left));
    switch (piece.kind) {
      case Piece::Kind::data:
        into.append(piece.bytes);
        break;
      case Piece::Kind::end:
        co_return std::nullopt;
      case Piece::Kind::refused:
        co_return piece.refusal;
      case Piece::Kind::closed:
        co_return Refusal{0, {}};
      case Piece::Kind::late:
        co_return Refusal{408, body_late};
    }
  }
}

}  // namespace web
