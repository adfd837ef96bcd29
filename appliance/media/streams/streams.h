// Live streams: created for wallets and for agents, listed while they are live.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/media/streams/provider.h"
#include "appliance/media/streams/records.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace streams {

inline constexpr std::int64_t open_streams_per_wallet = 5, streams_per_user = 100;
inline constexpr std::string_view default_name = "Anonymous DJ";

struct NewStream {
  store::UserId owner = 0;
  std::string agent, wallet;  // one of them, or none
  std::string name;
};

// A change of a stream that its provider reports.
struct Report {
  std::string stream;
  bool is_live = false;
  store::Time at{};
  std::optional<std::string> event;  // its id: a report has its effect once
};

// Callable from every thread. Its arguments must outlive it.
class Streams {
 public:
  // Without a provider, streaming is not configured: what needs one is Kind::internal, as the contract has it.
  Streams(store::System system, Provider* provider) : system_(std::move(system)), provider_(provider) {}

  web::Result<Provider*> provider() const;

  // too_many, with `current` and `limit`: the wallet or the user has as many as it may. Else the provider's errors.
  web::Task<web::Result<Stream>> create(NewStream);
  // The stream of an agent, created if it has none; nothing if its plan has none or the provider fails.
  web::Task<std::optional<Stream>> provide(store::UserId, std::string agent, std::string name, std::string plan);
  // Those that are live now at the configured provider, the latest first.
  web::Result<std::vector<Stream>> live() const;
  std::vector<Stream> list(store::UserId) const;  // oldest first
  std::optional<Stream> find(store::UserId, std::string_view id) const;
  std::optional<Stream> of_agent(store::UserId, std::string_view agent) const;
  std::optional<Stream> with_id(std::string_view id) const;  // of any owner
  std::optional<Stream> with_key(std::string_view key) const;
  std::optional<Stream> with_playback_id(std::string_view playback_id) const;

  // A new key, valid from the next broadcast on. not_found.
  web::Task<web::Result<Stream>> reset_key(store::UserId, std::string id);
  // It vanishes at once; at the provider as soon as that answers. not_found.
  web::Task<web::Result<void>> remove(store::UserId, std::string id);
  // For Events::agent_removed.
  web::Task<> remove_of_agent(store::UserId, std::string agent);

  // False: the event was reported before. Reports about unknown streams have no effect, nor have those older than
  // what is known already.
  web::Task<bool> report(Report);
  // Asks the provider which streams are live, has it delete those that were removed, and removes those of wallets that
  // have not been live for a month.
  web::Task<> reconcile();
  // Forgets events that no provider delivers again.
  web::Task<> forget_events();

 private:
  web::Task<web::Result<Stream>> insert(Stream);
  web::Task<> set_live(const Stream&, bool is_live);
  web::Task<> erase_at_provider(Stream);
  bool is_current(const Stream&) const;

  store::System system_;
  Provider* const provider_;
};

}  // namespace streams
