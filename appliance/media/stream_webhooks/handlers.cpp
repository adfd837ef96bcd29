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

}  // namespace

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

}  // namespace stream_webhooks
