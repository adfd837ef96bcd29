#include "appliance/media/local/routes.h"

#include "appliance/media/local/handlers.h"

namespace local {

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& none = guards.none;
  return {
      {web::GET, "/live/:playbackId", none, nullptr, web::plain(on(show_player)).fails({web::Kind::not_found}),
       "Page that plays a stream of the box's own server"},
      {web::GET, "/live/:playbackId/:file", none, nullptr,
       web::plain(on(send_live_file))
           .describe("HLS: index.m3u8 and the segments that it names, while the stream is live; in parts, too (Range).")
           .fails({web::Kind::not_found}),
       "Playlist and segments of a live stream"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/stream-callbacks/:secret/:event", guards.none, nullptr,
       web::plain(on(receive_callback))
           .describe("For the box's own stream server, which alone knows the secret; 404 without it.")
           .fails({web::Kind::forbidden, web::Kind::not_found}),
       "Callbacks of the box's own stream server"},
  };
}

}  // namespace local
