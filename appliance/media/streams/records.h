// What is stored about live streams.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "store/table.h"

namespace streams {

// removed: to be deleted at the provider; nobody sees it any more.
BOOST_DEFINE_ENUM_CLASS(Status, created, active, idle, removed)

struct Stream {
  std::int64_t owner = 0;  // 0: created for a wallet, without an account
  std::string id;          // the provider's
  std::string provider;    // its name: streams of another provider than the configured one stay as they are
  std::string agent;       // of its owner; empty: not an agent's
  std::string wallet;      // as its owner wrote it; empty: not a wallet's
  std::string name;
  std::string playback_id;
  store::Sealed key;
  std::string key_digest;  // SHA-256 of the key, in hex
  Status status = Status::created;
  store::Time created_at{};
  store::Time changed_at{};  // of the status, by the provider's clock: older reports are ignored
  store::Time started_at{};  // when it last went live
};
BOOST_DESCRIBE_STRUCT(Stream, (),
                      (owner, id, provider, agent, wallet, name, playback_id, key, key_digest, status, created_at,
                       changed_at, started_at))

inline const store::Owned<Stream> streams{
    {.family = "streams", .number = 126},
    &Stream::owner,
    &Stream::id,
    {store::unique<Stream>(1, "provider_id", &Stream::id), store::unique<Stream>(2, "key_digest", &Stream::key_digest),
     store::index<Stream>(3, "status", &Stream::status), store::scoped<Stream>(4, "agent", &Stream::agent),
     store::unique<Stream>(5, "playback_id", &Stream::playback_id)}};

// Webhooks that had an effect, so that a repeated delivery has none.
struct StreamEvent {
  std::string id;  // the provider's
  store::Time at{};
};
BOOST_DESCRIBE_STRUCT(StreamEvent, (), (id, at))

inline const store::Global<StreamEvent> stream_events{{.family = "stream_events", .number = 127},
                                                      &StreamEvent::id,
                                                      {store::index<StreamEvent>(1, "at", &StreamEvent::at)}};

}  // namespace streams
