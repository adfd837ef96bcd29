// Recordings of streams: archived, or deleted at the provider by a job that survives restarts and failures.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/media/stream_webhooks/asset_rule.h"
#include "appliance/media/streams/streams.h"
#include "store/store.h"
#include "web/task.h"

namespace stream_webhooks {

struct Asset {
  std::string id;        // the provider's
  std::string provider;  // its name
  std::string stream;    // may be empty
  Fate fate = Fate::archived;
  std::int64_t seconds = 0, height = 0;  // 0: unknown
  store::Time ready_at{};
  std::optional<store::Time> due_at;  // when deletion is tried next
  std::int64_t attempts = 0;          // failed ones
};
BOOST_DESCRIBE_STRUCT(Asset, (), (id, provider, stream, fate, seconds, height, ready_at, due_at, attempts))

inline const store::Global<Asset> assets{
    {.family = "stream_assets", .number = 128},
    &Asset::id,
    {store::index<Asset>(1, "due", &Asset::due_at), store::index<Asset>(2, "ready", &Asset::ready_at)}};

// Callable from every thread. Its arguments must outlive it.
class Assets {
 public:
  Assets(store::System system, streams::Streams& streams) : system_(std::move(system)), streams_(streams) {}

  // Decides about a new recording. False: the event, or the recording, is known already.
  web::Task<bool> ready(std::string id, std::string stream, AssetFacts, std::optional<std::string> event);
  // The newest `limit` before `before`.
  std::vector<Asset> list(const std::optional<Asset>& before, std::size_t limit) const;
  std::optional<Asset> find(const std::string& id) const;
  // Deletes what is due. A failure is tried again, after a minute at first and a day at last.
  web::Task<> delete_due();

 private:
  web::Task<> attempt(std::string id, streams::Provider&);

  store::System system_;
  streams::Streams& streams_;
};

}  // namespace stream_webhooks
