#include "appliance/media/stream_webhooks/assets.h"

#include <algorithm>

#include "appliance/foundation/reverse_paging.h"
#include "web/log.h"

namespace stream_webhooks {

namespace {

using namespace std::chrono_literals;
using web::Task;

constexpr std::size_t max_at_once = 100;

store::Time::duration pause_after(std::int64_t attempts) {
  constexpr store::Time::duration first = 1min, last = 24h;
  return std::min(first * (1 << std::min<std::int64_t>(attempts, 11)), last);
}

}  // namespace

Task<bool> Assets::ready(std::string id, std::string stream, AssetFacts facts, std::optional<std::string> event) {
  const auto provider = streams_.provider();
  const auto now = store::now();
  Asset asset{.id = std::move(id),
              .provider = provider ? std::string((*provider)->name()) : std::string(),
              .stream = std::move(stream),
              .fate = fate_of(facts),
              .seconds = static_cast<std::int64_t>(std::clamp(facts.duration.value_or(0), 0.0, 1e9)),
              .height = facts.height.value_or(0),
              .ready_at = now};
  if (asset.fate == Fate::deletion) asset.due_at = now;
  auto change = system_.change();
  change.insert(assets, asset);
  if (event) change.insert(streams::stream_events, streams::StreamEvent{.id = *event, .at = now});
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) co_return false;
  web::log::info(asset.fate == Fate::archived ? "stream_asset_archived" : "stream_asset_to_be_deleted",
                 {{"asset", asset.id}, {"seconds", asset.seconds}, {"height", asset.height}});
  co_return true;
}

std::vector<Asset> Assets::list(const std::optional<Asset>& before, std::size_t limit) const {
  return agentbox::newest(system_, assets, "ready", &Asset::ready_at, before, limit);
}

std::optional<Asset> Assets::find(const std::string& id) const {
  auto row = system_.get(assets, id);
  if (!row) return std::nullopt;
  return std::move(row->value);
}

Task<> Assets::delete_due() {
  const auto due = system_.find_range(assets, "due", store::Time{}, store::now() + 1ms, max_at_once);
  if (due.empty()) co_return;
  const auto provider = streams_.provider();
  if (!provider) co_return;
  for (const auto& asset : due)
    if (asset.provider == (*provider)->name()) co_await attempt(asset.id, **provider);
}

Task<> Assets::attempt(std::string id, streams::Provider& provider) {
  const auto done = co_await provider.remove_asset(id);
  if (!done) web::log::warning("stream_asset_not_deleted", {{"asset", id}, {"reason", done.error().detail}});
  const auto changed = co_await system_.modify(assets, id, [&](Asset& asset) {
    if (done) {
      asset.fate = Fate::deleted;
      asset.due_at.reset();
    } else {
      asset.due_at = store::now() + pause_after(asset.attempts++);
    }
  });
  if (done && changed) web::log::info("stream_asset_deleted", {{"asset", id}});
}

}  // namespace stream_webhooks
