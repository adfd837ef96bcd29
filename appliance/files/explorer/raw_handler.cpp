#include <algorithm>
#include <memory>

#include "appliance/files/explorer/handlers.h"
#include "web/conditional.h"

namespace explorer {

namespace {

constexpr std::uint64_t piece_bytes = 256 * 1024;

web::Stream stream_of(Explorer& explorer, std::shared_ptr<const Raw> raw, web::Selection part) {
  return [&explorer, raw = std::move(raw), part](web::StreamWriter& writer) -> web::Task<> {
    for (std::uint64_t done = 0; done < part.length;) {
      const auto size = std::min(piece_bytes, part.length - done);
      auto piece = co_await explorer.piece(raw->file, part.begin + done, static_cast<std::size_t>(size));
      co_await writer.write(std::move(piece));
      done += size;
    }
  };
}

}  // namespace

Reply send_raw_file(const Services& services, const web::Request& request, FileQuery query) {
  auto opened = co_await services.explorer.open_raw(agent_of(query.agent), std::move(query.path));
  if (!opened) co_return opened.error();
  const auto raw = std::make_shared<const Raw>(std::move(*opened));
  const auto part = web::select(request, raw->validators, raw->size);
  auto response = web::selected(part, raw->validators, raw->size);
  response.set("Cache-Control", "private, no-cache");
  if (part.kind != web::Selection::Kind::whole && part.kind != web::Selection::Kind::part) co_return response;
  response.content_type = raw->type;
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  if (raw->is_attachment) response.set("Content-Disposition", attachment(raw->name));
  response.stream_length = part.length;
  response.body = stream_of(services.explorer, raw, part);
  co_return response;
}

}  // namespace explorer
