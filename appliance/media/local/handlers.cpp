#include "appliance/media/local/handlers.h"

#include <algorithm>

#include "appliance/foundation/crypto/random.h"
#include "appliance/media/local/segments.h"
#include "appliance/media/sending/send_file.h"
#include "web/console_assets.h"

namespace local {

namespace {

constexpr std::string_view player_page = "/player.html";

web::Result<Callback> form_of(const web::Request& request) {
  web::Request form;
  form.query = request.body;
  return web::parse_query<Callback>(form);
}

// The path's secret is known to the server alone; for anybody else there is nothing here.
web::Answer receive_callback(const Services& services, const web::Request& request) {
  auto* server = services.server;
  if (!server || !crypto::constant_time_equal(request.param("secret"), server->secret())) co_return web::not_found();
  auto form = form_of(request);
  if (!form) co_return form.error();
  std::string name = form->name ? std::move(*form->name) : std::string();
  const auto& event = request.param("event");
  if (event == "publish") {
    std::string key = key_of(name, form->key ? *form->key : std::string());
    const auto begun = co_await server->begin(name, std::move(key));
    if (!begun) co_return begun.error();
  }
  if (event == "update" && !server->may_go_on(name)) co_return web::forbidden("The stream is gone");
  if (event == "publish_done") {
    std::string key = key_of(name, form->key ? *form->key : std::string());
    co_await server->end(name, std::move(key));
  }
  if (event == "record_done" && form->path) co_await server->recorded(std::move(name), std::move(*form->path));
  co_return web::text("");
}

web::Answer show_player(const Services& services, const web::Request& request) {
  const auto stream = services.streams.with_playback_id(request.param("playbackId"));
  if (!services.local || !stream || stream->provider != services.local->name())
    co_return web::not_found("No such stream");
  const auto assets = web::console_assets();
  const auto page = std::ranges::find(assets, player_page, &web::Asset::path);
  if (page == assets.end()) throw std::logic_error("the player is not embedded");
  auto response = web::text(std::string(page->variants.back().body), std::string(page->content_type));
  response.set("Cache-Control", "no-cache");
  co_return response;
}

web::Answer send_live_file(const Services& services, const web::Request& request) {
  const auto &id = request.param("playbackId"), &name = request.param("file");
  const bool is_list = is_playlist(name);
  if (!services.local || (!is_list && !is_segment(name))) co_return web::not_found();
  const auto stream = services.streams.with_playback_id(id);
  if (!stream || stream->status != streams::Status::active) co_return web::not_found("The stream is not live");
  if (is_list) services.local->audience.see(id, request.client_address, Audience::Clock::now());
  sending::MediaFile file{.folder = services.server->segments(),
                          .name = id + "/" + name,
                          .content_type = is_list ? "application/vnd.apple.mpegurl" : "video/mp2t",
                          .cache_control = is_list ? "no-cache" : "public, max-age=60"};
  auto response = co_await sending::send_file(services.blocking, std::move(file), request);
  // Streams are public: players on other sites may play them.
  if (response) response->set("Access-Control-Allow-Origin", "*");
  co_return response;
}

}  // namespace

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
