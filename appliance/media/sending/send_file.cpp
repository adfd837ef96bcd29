#include "appliance/media/sending/send_file.h"

#include <algorithm>
#include <memory>

#include "appliance/files/explorer/raw.h"

namespace sending {

namespace {

constexpr std::uint64_t piece_bytes = 256 * 1024;

web::Stream stream_of(boost::asio::thread_pool& pool, std::shared_ptr<const explorer::Raw> raw, web::Selection part) {
  return [&pool, raw = std::move(raw), part](web::StreamWriter& writer) -> web::Task<> {
    for (std::uint64_t done = 0; done < part.length;) {
      const auto size = static_cast<std::size_t>(std::min(piece_bytes, part.length - done));
      const auto read = [&] { return explorer::read_piece(raw->file, part.begin + done, size); };
      auto piece = co_await web::offload(pool, read);
      co_await writer.write(std::move(piece));
      done += size;
    }
  };
}

}  // namespace

web::Task<web::Result<web::Response>> send_file(boost::asio::thread_pool& pool, MediaFile file,
                                                const web::Request& request) {
  const explorer::Place place{.folder = file.folder};
  const auto open = [&] { return explorer::open_raw(place, file.name); };
  auto opened = co_await web::offload(pool, open);
  if (!opened) co_return web::not_found();
  const auto raw = std::make_shared<const explorer::Raw>(std::move(*opened));
  const auto part = web::select(request, raw->validators, raw->size);
  auto response = web::selected(part, raw->validators, raw->size);
  response.set("Cache-Control", std::move(file.cache_control));
  if (part.kind != web::Selection::Kind::whole && part.kind != web::Selection::Kind::part) co_return response;
  response.content_type = std::move(file.content_type);
  response.stream_length = part.length;
  response.body = stream_of(pool, raw, part);
  co_return response;
}

}  // namespace sending
