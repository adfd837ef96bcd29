#include <algorithm>
#include <memory>

#include "appliance/files/explorer/endpoints.h"
#include "appliance/files/explorer/route_parts.h"
#include "web/conditional.h"

namespace explorer {

namespace {

constexpr std::uint64_t piece_bytes = 256 * 1024;

struct RawQuery {
  Path path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(RawQuery, (), (path, agent))

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

web::Endpoint raw_endpoint(Explorer& explorer) {
  return web::query<RawQuery>([&explorer](web::Request& request, RawQuery asked) -> Answer {
           auto opened = co_await explorer.open_raw(agent_of(asked.agent), std::move(asked.path));
           if (!opened) co_return opened.error();
           const auto raw = std::make_shared<const Raw>(std::move(*opened));
           const auto part = web::select(request, raw->validators, raw->size);
           auto response = web::selected(part, raw->validators, raw->size);
           // It may be kept, but not used before this was asked whether it is still the same.
           response.set("Cache-Control", "private, no-cache");
           if (part.kind != web::Selection::Kind::whole && part.kind != web::Selection::Kind::part) co_return response;
           response.content_type = raw->type;
           response.set("Cross-Origin-Resource-Policy", "same-origin");
           if (raw->is_attachment) response.set("Content-Disposition", attachment(raw->name));
           response.stream_length = part.length;
           response.body = stream_of(explorer, raw, part);
           co_return response;
         })
      .describe(
          "The file's bytes, of any size. Pictures, sound and films have their own type; every text, HTML and scripts "
          "too, is text/plain; all else is application/octet-stream and to be saved. ETag, Last-Modified and one range "
          "are served as RFC 9110 has it: 206, 304, 412, 416; several ranges are answered whole. 400 and 404 as of "
          "/api/browse/read.");
}

}  // namespace explorer
