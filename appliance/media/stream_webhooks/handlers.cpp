#include "appliance/media/stream_webhooks/handlers.h"

#include "appliance/media/stream_webhooks/payload.h"
#include "appliance/media/stream_webhooks/signature.h"
#include "web/log.h"

namespace stream_webhooks {

namespace {

constexpr std::size_t usual_page = 100;

// False: it was delivered before.
web::Task<bool> act_on(const Services& services, Payload payload) {
  auto event = payload.id.empty() ? std::nullopt : std::optional(payload.id);
  const bool is_live = payload.type == "video.live_stream.active";
  if (is_live || payload.type == "video.live_stream.idle") {
    streams::Report report{
        .stream = std::move(payload.object), .is_live = is_live, .at = payload.created_at, .event = std::move(event)};
    co_return co_await services.streams.report(std::move(report));
  }
  if (payload.type == "video.asset.ready" && !payload.object.empty())
    co_return co_await services.assets.ready(std::move(payload.object), std::move(payload.live_stream), payload.asset,
                                             std::move(event));
  co_return true;
}

web::Answer receive(const Services& services, const web::Request& request) {
  const auto verified = verify(request, services.secret, store::now());
  if (!verified) co_return verified.error();
  auto payload = parse(request.body, store::now());
  if (!payload) co_return payload.error();
  const std::string type = payload->type, object = payload->object;
  const bool is_new = co_await act_on(services, std::move(*payload));
  web::log::info("stream_webhook", {{"type", type}, {"object", object}, {"repeated", !is_new}});
  co_return web::reply(Received(), 200);
}

web::Answer list_assets(const Services& services, const web::Request&, AssetQuery query) {
  std::optional<Asset> before;
  if (query.before) {
    before = services.assets.find(*query.before);
    if (!before) co_return web::invalid("before must be the id of an asset");
  }
  const auto limit = query.limit ? std::size_t(query.limit->value) : usual_page;
  auto found = services.assets.list(before, limit + 1);
  AssetList answer;
  if (found.size() > limit) {
    found.pop_back();
    answer.next = found.back().id;
  }
  for (auto& asset : found) {
    auto stream = asset.stream.empty() ? std::nullopt : std::optional(std::move(asset.stream));
    answer.assets.push_back({std::move(asset.id), std::move(stream), asset.fate, asset.seconds, asset.height,
                             asset.attempts, asset.ready_at});
  }
  answer.count = std::int64_t(answer.assets.size());
  co_return web::reply(answer, 200);
}

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
