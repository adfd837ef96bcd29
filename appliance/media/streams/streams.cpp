#include "appliance/media/streams/streams.h"

#include <algorithm>
#include <set>

#include "appliance/billing/subscriptions/plans.h"
#include "appliance/foundation/crypto/random.h"
#include "store/transact.h"
#include "web/ascii.h"
#include "web/log.h"

namespace streams {

namespace {

using web::Result;
using web::Task;

constexpr std::size_t max_listed = 10'000;
constexpr auto smallest_plan = billing::Plan::solo;  // whose agents have streams
constexpr std::chrono::days wallet_streams_kept{30}, events_kept{3};

// Within owner 0 for wallets, which need no account.
store::CounterName open_streams(const Stream& stream) {
  return {stream.owner == 0 ? "streams/" + web::lower_case(stream.wallet) : "streams"};
}

std::int64_t max_streams_of(const Stream& stream) {
  return stream.owner == 0 ? open_streams_per_wallet : streams_per_user;
}

web::Error too_many(std::int64_t limit) {
  web::Error error{.kind = web::Kind::too_many,
                   .message = "There are as many open streams as there may be: remove one first."};
  error.extra["current"] = limit;
  error.extra["limit"] = limit;
  return error;
}

std::optional<Stream> visible(std::optional<store::Row<Stream>> row) {
  if (!row || row->value.status == Status::removed) return std::nullopt;
  return std::move(row->value);
}

void log(std::string_view event, const Stream& stream) {
  web::log::info(std::string(event), {{"stream", stream.id}, {"provider", stream.provider}});
}

}  // namespace

bool Streams::is_current(const Stream& stream) const { return provider_ && stream.provider == provider_->name(); }

Result<Provider*> Streams::provider() const {
  if (provider_) return provider_;
  return web::internal(
      "Streaming is not configured on this box: set STREAM_TOKEN_ID and STREAM_TOKEN_SECRET, or STREAM_LOCAL=on");
}

Task<Result<Stream>> Streams::create(NewStream request) {
  const auto provider = this->provider();
  if (!provider) co_return provider.error();
  Stream stream{.owner = request.owner,
                .provider = std::string((*provider)->name()),
                .agent = std::move(request.agent),
                .wallet = std::move(request.wallet),
                .name = std::move(request.name)};
  if (system_.counter(stream.owner, open_streams(stream)) >= max_streams_of(stream))
    co_return too_many(max_streams_of(stream));
  auto made = co_await (*provider)->create(stream.name);
  if (!made) co_return made.error();
  stream.id = std::move(made->id);
  stream.playback_id = std::move(made->playback_id);
  stream.key_digest = crypto::sha256_hex(made->key);
  stream.key = {std::move(made->key)};
  stream.created_at = store::now();
  co_return co_await insert(std::move(stream));
}

Task<std::optional<Stream>> Streams::provide(store::UserId owner, std::string agent, std::string name,
                                             std::string plan) {
  const auto known = billing::plan_named(plan);
  if (!provider_ || !known || !billing::covers(*known, smallest_plan)) co_return std::nullopt;
  if (auto stream = of_agent(owner, agent)) co_return stream;
  NewStream stream_request{.owner = owner, .agent = agent, .wallet = {}, .name = std::move(name)};
  auto made = co_await create(std::move(stream_request));
  if (made) co_return std::move(*made);
  web::log::warning("agent_without_stream",
                    {{"agent", agent}, {"reason", made.error().message}, {"detail", made.error().detail}});
  co_return std::nullopt;
}

Task<Result<Stream>> Streams::insert(Stream stream) {
  auto change = system_.change();
  change.insert(streams, stream);
  change.add(stream.owner, open_streams(stream), 1, max_streams_of(stream));
  const auto outcome = co_await change.commit();
  if (outcome.ok()) {
    log("stream_created", stream);
    co_return stream;
  }
  if (outcome.kind == store::Outcome::Kind::over_bound) {
    const auto undone = co_await provider_->remove(stream.id);
    if (!undone) web::log::warning("stream_left_at_provider", {{"stream", stream.id}});
    co_return too_many(max_streams_of(stream));
  }
  co_return web::internal("The stream provider rejected the request. Please try again later.",
                          "it gave a stream with an id or a key that another one has");
}

Result<std::vector<Stream>> Streams::live() const {
  const auto provider = this->provider();
  if (!provider) return provider.error();
  auto found = system_.find(streams, "status", Status::active, max_listed);
  std::erase_if(found, [&](const Stream& stream) { return !is_current(stream); });
  std::ranges::stable_sort(found, std::ranges::greater(), &Stream::started_at);
  return found;
}

std::vector<Stream> Streams::list(store::UserId owner) const {
  auto found = system_.tenant(owner).list(streams, store::Page{.limit = max_listed});
  std::erase_if(found, [](const Stream& stream) { return stream.status == Status::removed; });
  std::ranges::stable_sort(found, {}, &Stream::created_at);
  return found;
}

std::optional<Stream> Streams::find(store::UserId owner, std::string_view id) const {
  return visible(system_.tenant(owner).get(streams, id));
}

std::optional<Stream> Streams::of_agent(store::UserId owner, std::string_view agent) const {
  for (auto& stream : system_.tenant(owner).find(streams, "agent", agent))
    if (stream.status != Status::removed && is_current(stream)) return std::move(stream);
  return std::nullopt;
}

std::optional<Stream> Streams::with_id(std::string_view id) const {
  return visible(system_.find_unique(streams, "provider_id", id));
}

std::optional<Stream> Streams::with_key(std::string_view key) const {
  return visible(system_.find_unique(streams, "key_digest", crypto::sha256_hex(key)));
}

std::optional<Stream> Streams::with_playback_id(std::string_view playback_id) const {
  return visible(system_.find_unique(streams, "playback_id", playback_id));
}

Task<Result<Stream>> Streams::reset_key(store::UserId owner, std::string id) {
  const auto stream = find(owner, id);
  if (!stream || !is_current(*stream)) co_return web::not_found("No such stream");
  const auto key = co_await provider_->reset_key(id, stream->playback_id);
  if (!key) co_return key.error();
  const auto set_key = [&](store::Change& change) -> Result<Stream> {
    auto row = system_.get(streams, owner, id);
    if (!row || row->value.status == Status::removed) return web::not_found("No such stream");
    row->value.key = {*key};
    row->value.key_digest = crypto::sha256_hex(*key);
    change.update(streams, *row);
    return std::move(row->value);
  };
  const auto refused = [](const store::Outcome& outcome) -> std::optional<Result<Stream>> {
    if (outcome.kind != store::Outcome::Kind::stale) throw std::logic_error("two streams have one key");
    return std::nullopt;
  };
  co_return co_await store::transact(system_, set_key, refused);
}

Task<Result<void>> Streams::remove(store::UserId owner, std::string id) {
  const auto close = [&](store::Change& change) -> std::optional<Stream> {
    auto row = system_.get(streams, owner, id);
    if (!row || row->value.status == Status::removed) return std::nullopt;
    row->value.status = Status::removed;
    change.update(streams, *row);
    change.add(owner, open_streams(row->value), -1);
    return std::move(row->value);
  };
  auto removed = co_await store::transact(system_, close);
  if (!removed) co_return web::not_found("No such stream");
  if (is_current(*removed)) co_await erase_at_provider(std::move(*removed));
  co_return Result<void>();
}

Task<> Streams::remove_of_agent(store::UserId owner, std::string agent) {
  for (const auto& stream : system_.tenant(owner).find(streams, "agent", agent)) {
    if (stream.status == Status::removed) continue;
    const auto removed = co_await remove(owner, stream.id);
    if (!removed) web::log::info("stream_removed_meanwhile", {{"stream", stream.id}});
  }
}

Task<> Streams::erase_at_provider(Stream stream) {
  const auto done = co_await provider_->remove(stream.id);
  if (!done) {
    web::log::warning("stream_not_removed", {{"stream", stream.id}, {"reason", done.error().detail}});
    co_return;
  }
  const auto row = system_.get(streams, stream.owner, stream.id);
  if (!row) co_return;
  auto change = system_.change();
  change.erase(streams, *row);
  if ((co_await change.commit()).ok()) log("stream_removed", stream);
}

Task<bool> Streams::report(Report report) {
  for (;;) {
    auto row = system_.find_unique(streams, "provider_id", report.stream);
    auto change = system_.change();
    const bool has_effect =
        row && row->value.status != Status::removed && is_current(row->value) && report.at >= row->value.changed_at;
    if (has_effect) {
      if (report.is_live && row->value.status != Status::active) row->value.started_at = report.at;
      row->value.status = report.is_live ? Status::active : Status::idle;
      row->value.changed_at = report.at;
      change.update(streams, *row);
    }
    if (report.event) change.insert(stream_events, StreamEvent{.id = *report.event, .at = store::now()});
    if (!has_effect && !report.event) co_return true;
    const auto outcome = co_await change.commit();
    if (outcome.duplicate("id")) co_return false;
    if (!outcome.ok()) continue;
    if (has_effect) log(report.is_live ? "stream_active" : "stream_idle", row->value);
    co_return true;
  }
}

// A report that came while the provider was asked is newer than its answer.
Task<> Streams::set_live(const Stream& stream, bool is_live) {
  auto row = system_.get(streams, stream.owner, stream.id);
  if (!row || row->value.status != stream.status || row->value.changed_at != stream.changed_at) co_return;
  row->value.status = is_live ? Status::active : Status::idle;
  row->value.changed_at = store::now();
  if (is_live) row->value.started_at = row->value.changed_at;
  auto change = system_.change();
  change.update(streams, *row);
  if ((co_await change.commit()).ok()) log(is_live ? "stream_active" : "stream_idle", row->value);
}

Task<> Streams::reconcile() {
  if (!provider_) co_return;
  std::vector<Stream> known;
  system_.each(streams, [&](const Stream& stream) {
    if (is_current(stream)) known.push_back(stream);
    return true;
  });
  if (known.empty()) co_return;
  const auto active = co_await provider_->active();
  if (!active) {
    web::log::warning("stream_provider_not_asked", {{"reason", active.error().detail}});
    co_return;
  }
  const std::set<std::string> live(active->begin(), active->end());
  const auto oldest = store::now() - wallet_streams_kept;
  for (const auto& stream : known) {
    if (stream.status == Status::removed) {
      co_await erase_at_provider(stream);
    } else if (live.contains(stream.id) != (stream.status == Status::active)) {
      co_await set_live(stream, live.contains(stream.id));
    } else if (stream.owner == 0 && stream.status != Status::active &&
               std::max(stream.created_at, stream.changed_at) < oldest) {
      const auto removed = co_await remove(stream.owner, stream.id);
      if (!removed) web::log::info("stream_removed_meanwhile", {{"stream", stream.id}});
    }
  }
}

Task<> Streams::forget_events() {
  for (const auto& event :
       system_.find_range(stream_events, "at", store::Time{}, store::now() - events_kept, max_listed)) {
    const auto row = system_.get(stream_events, event.id);
    if (!row) continue;
    auto change = system_.change();
    change.erase(stream_events, *row);
    if (!(co_await change.commit(store::Durability::relaxed)).ok()) co_return;
  }
}

}  // namespace streams
