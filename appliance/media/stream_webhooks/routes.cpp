#include "appliance/media/stream_webhooks/routes.h"

#include "appliance/media/stream_webhooks/handlers.h"

namespace stream_webhooks {

namespace {

constexpr const char* about_webhooks =
    "Signed by the stream provider: the header stream-signature (or mux-signature) is t=<timestamp>,v1=<signature>, "
    "the "
    "HMAC-SHA256 of `<timestamp>.<body>` with STREAM_SIGNING_SECRET. 401 without the header; 403 if it has another "
    "form, if its time is more than five minutes away, or if the signature is wrong; 400 for a signed body that is not "
    "JSON. video.live_stream.active and .idle change the stream's status. video.asset.ready archives recordings of "
    "1080 "
    "lines or more that are longer than 15 minutes and queues all others for deletion at the provider. An event that "
    "was delivered before, and an event of any other type, has no effect.";

constexpr const char* about_assets = "`next` is the `before` of the following page.";

web::Route assets_row(const web::Guard& guard, const web::Bind<Services>& on) {
  return {web::GET,
          "/api/admin/stream-assets",
          guard,
          nullptr,
          web::query<AssetQuery>(on(list_assets)).returns<AssetList>().describe(about_assets),
          "Recordings of streams and what becomes of them, newest first"};
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/webhooks/stream", guards.none, nullptr,
       web::plain(on(receive))
           .returns<Received>()
           .describe(about_webhooks)
           .fails({web::Kind::invalid, web::Kind::unauthenticated, web::Kind::forbidden}),
       "Receive a webhook of the stream provider"},
      assets_row(guards.admin_session, on),
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {assets_row(guards.backend.box, on)};
}

}  // namespace stream_webhooks
