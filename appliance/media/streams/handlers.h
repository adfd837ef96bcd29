#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/media/streams/radio_gate.h"
#include "appliance/media/streams/streams.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace streams {

// What the rows depend on; all of it must outlive them.
struct Services {
  Streams& streams;
  RadioGate& gate;
};

struct StreamRequest {
  web::Text<1, 100> wallet;
  std::optional<web::Text<0, 100>> name;
  std::optional<web::Prose<1, 8192>> message;
  std::optional<web::Text<4, 32770>> signature;
};
BOOST_DESCRIBE_STRUCT(StreamRequest, (), (wallet, name, message, signature))

struct CreatedStream {
  std::string id, name;
  std::optional<std::string> wallet;
  std::string streamKey, rtmpUrl, fullRtmpUrl;
  std::optional<std::string> playbackId;
  Status status;
  std::optional<std::string> hlsUrl, embedUrl;
};
BOOST_DESCRIBE_STRUCT(CreatedStream, (),
                      (id, name, wallet, streamKey, rtmpUrl, fullRtmpUrl, playbackId, status, hlsUrl, embedUrl))

struct RecommendedSettings {
  std::int64_t audioBitrate = 160;  // kbit/s
  std::string encoder = "aac";
  std::int64_t sampleRate = 48'000, channels = 2;
};
BOOST_DESCRIBE_STRUCT(RecommendedSettings, (), (audioBitrate, encoder, sampleRate, channels))

struct ObsSettings {
  std::string server, streamKey;
  RecommendedSettings recommended;
};
BOOST_DESCRIBE_STRUCT(ObsSettings, (), (server, streamKey, recommended))

struct StreamAnswer {
  bool success = true;
  CreatedStream stream;
  ObsSettings obsSettings;
};
BOOST_DESCRIBE_STRUCT(StreamAnswer, (), (success, stream, obsSettings))

struct LiveStream {
  std::string id, name;
  std::optional<std::string> wallet, playbackId;
  std::string streamKey;  // empty: it is its owner's secret
  Status status;
  std::int64_t startedAt = 0;  // seconds of Unix time
  std::optional<std::string> hlsUrl, embedUrl;
  std::optional<std::int64_t> listeners;
};
BOOST_DESCRIBE_STRUCT(LiveStream, (),
                      (id, name, wallet, playbackId, streamKey, status, startedAt, hlsUrl, embedUrl, listeners))

struct LiveList {
  std::vector<LiveStream> djs;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(LiveList, (), (djs, count))

struct OwnStream : CreatedStream {
  std::optional<std::string> agentId;
  store::Time createdAt;
  std::optional<store::Time> startedAt;
};
BOOST_DESCRIBE_STRUCT(OwnStream, (CreatedStream), (agentId, createdAt, startedAt))

struct OwnList {
  std::vector<OwnStream> streams;
  std::int64_t count = 0;
  bool configured = false;  // the box has a stream provider
};
BOOST_DESCRIBE_STRUCT(OwnList, (), (streams, count, configured))

struct KeyProof {
  web::Text<1, 200> streamKey;
};
BOOST_DESCRIBE_STRUCT(KeyProof, (), (streamKey))

// The radio, and the streams of a user.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace streams
