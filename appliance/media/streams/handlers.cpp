#include "appliance/media/streams/handlers.h"

#include <algorithm>
#include <chrono>

#include "appliance/foundation/crypto/random.h"

namespace streams {

namespace {

std::optional<std::string> text_or_null(std::string text) {
  if (text.empty()) return std::nullopt;
  return text;
}

template <class View>
void fill(View& view, const Stream& stream, const Provider& provider) {
  view.id = stream.id;
  view.name = stream.name;
  view.wallet = text_or_null(stream.wallet);
  view.playbackId = text_or_null(stream.playback_id);
  view.status = stream.status;
  if (stream.playback_id.empty()) return;
  view.hlsUrl = provider.hls_url(stream.playback_id);
  view.embedUrl = provider.embed_url(stream.playback_id);
}

template <class View>
View with_key(const Stream& stream, const Provider& provider) {
  View view;
  fill(view, stream, provider);
  view.streamKey = stream.key.clear;
  view.rtmpUrl = provider.rtmp_url();
  view.fullRtmpUrl = view.rtmpUrl + "/" + stream.key.clear;
  return view;
}

web::Response reply_with(const Stream& stream, const Provider& provider) {
  StreamAnswer answer{.stream = with_key<CreatedStream>(stream, provider), .obsSettings = {}};
  answer.obsSettings.server = answer.stream.rtmpUrl;
  answer.obsSettings.streamKey = answer.stream.streamKey;
  return web::reply(answer, 200);
}

std::string name_of(const StreamRequest& request) {
  const bool is_blank = !request.name || std::ranges::all_of(*request.name, [](char c) { return c == ' '; });
  return is_blank ? std::string(default_name) : std::string(*request.name);
}

// A wallet's stream has no account: its key is the credential.
web::Result<Stream> stream_of_key(const Services& services, const web::Request& request, const KeyProof& proof) {
  auto stream = services.streams.with_id(request.param("streamId"));
  if (stream && stream->owner == 0 && crypto::constant_time_equal(stream->key.clear, proof.streamKey))
    return std::move(*stream);
  return web::not_found("No such stream");
}

web::Answer rotated(const Services& services, store::UserId owner, std::string id) {
  const auto stream = co_await services.streams.reset_key(owner, std::move(id));
  if (!stream) co_return stream.error();
  const auto provider = services.streams.provider();
  if (!provider) co_return provider.error();
  co_return reply_with(*stream, **provider);
}

web::Answer removed(const Services& services, store::UserId owner, std::string id) {
  const auto done = co_await services.streams.remove(owner, std::move(id));
  if (!done) co_return done.error();
  co_return web::reply(web::Succeeded(), 200);
}

web::Answer list_live(const Services& services, const web::Request&) {
  const auto provider = services.streams.provider();
  if (!provider) co_return provider.error();
  const auto live = services.streams.live();
  if (!live) co_return live.error();
  LiveList answer;
  for (const auto& stream : *live) {
    LiveStream view;
    fill(view, stream, **provider);
    view.startedAt = std::chrono::floor<std::chrono::seconds>(stream.started_at).time_since_epoch().count();
    view.listeners = (*provider)->listeners(stream.playback_id);
    answer.djs.push_back(std::move(view));
  }
  answer.count = std::int64_t(answer.djs.size());
  co_return web::reply(answer, 200);
}

web::Answer create_radio_stream(const Services& services, const web::Request&, StreamRequest body) {
  std::string name = name_of(body);
  StreamRequester requester{
      .wallet = body.wallet, .message = std::move(body.message), .signature = std::move(body.signature)};
  const auto admitted = co_await services.gate.admit(std::move(requester));
  if (!admitted) co_return admitted.error();
  const auto provider = services.streams.provider();
  if (!provider) co_return provider.error();
  NewStream stream_request{.owner = 0, .agent = {}, .wallet = std::move(body.wallet), .name = std::move(name)};
  const auto stream = co_await services.streams.create(std::move(stream_request));
  if (!stream) co_return stream.error();
  co_return reply_with(*stream, **provider);
}

web::Answer rotate_radio_key(const Services& services, const web::Request& request, KeyProof body) {
  const auto stream = stream_of_key(services, request, body);
  if (!stream) co_return stream.error();
  co_return co_await rotated(services, stream->owner, stream->id);
}

web::Answer remove_radio_stream(const Services& services, const web::Request& request, KeyProof body) {
  const auto stream = stream_of_key(services, request, body);
  if (!stream) co_return stream.error();
  co_return co_await removed(services, stream->owner, stream->id);
}

web::Answer list_own(const Services& services, const web::Request& request) {
  OwnList answer;
  const auto provider = services.streams.provider();
  if (!provider) co_return web::reply(answer, 200);
  answer.configured = true;
  for (const auto& stream : services.streams.list(request.caller.user_id)) {
    if (stream.provider != (*provider)->name()) continue;
    auto view = with_key<OwnStream>(stream, **provider);
    view.agentId = text_or_null(stream.agent);
    view.createdAt = stream.created_at;
    if (stream.started_at != store::Time{}) view.startedAt = stream.started_at;
    answer.streams.push_back(std::move(view));
  }
  answer.count = std::int64_t(answer.streams.size());
  co_return web::reply(answer, 200);
}

web::Answer rotate_key(const Services& services, const web::Request& request) {
  return rotated(services, request.caller.user_id, request.param("streamId"));
}

web::Answer remove_own(const Services& services, const web::Request& request) {
  return removed(services, request.caller.user_id, request.param("streamId"));
}

const web::RateLimit creation_limit{.group = "radio-streams", .limit = 10};
const web::RateLimit key_limit{.group = "radio-keys", .limit = 10, .limits_guesses = true};

constexpr const char* about_live =
    "Live streams, the latest first. `streamKey` is always empty here: it is the secret of the stream's owner. "
    "`listeners` is null where the provider does not say. 500 if streaming is not configured.";

constexpr const char* about_own = "`configured`: the box has a stream provider. Without one the list is empty.";

constexpr const char* about_creation =
    "For wallets that hold the gating tokens (403 with `balance` and `required`). `message` and `signature` prove the "
    "wallet as at wallet sign-in (GET /api/auth/nonce); they are required with STREAM_REQUIRE_PROOF, else optional. At "
    "most five open streams a wallet: 429 with `current` and `limit`. A wallet's stream that has not been live for 30 "
    "days is removed.";

constexpr const char* about_rotation =
    "The old key is invalid from now on; a broadcast in progress goes on. Returns the stream with its new key.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto &none = guards.none, &session = guards.session;
  return {
      {web::GET, "/api/radio/live", none, nullptr, web::plain(on(list_live)).returns<LiveList>().describe(about_live),
       "List the live streams"},
      {web::POST, "/api/radio/streams", none, &creation_limit,
       web::body<StreamRequest>(on(create_radio_stream))
           .returns<StreamAnswer>()
           .describe(about_creation)
           .fails({web::Kind::unauthenticated, web::Kind::forbidden, web::Kind::too_many}),
       "Create a stream for a wallet"},
      {web::POST, "/api/radio/streams/:streamId/rotate-key", none, &key_limit,
       web::body<KeyProof>(on(rotate_radio_key))
           .returns<StreamAnswer>()
           .describe(about_rotation)
           .fails({web::Kind::not_found}),
       "Replace the key of a wallet's stream, given the present one"},
      {web::DELETE, "/api/radio/streams/:streamId", none, &key_limit,
       web::body<KeyProof>(on(remove_radio_stream)).returns<web::Succeeded>().fails({web::Kind::not_found}),
       "Remove a wallet's stream, given its key"},
      {web::GET, "/api/streams", session, nullptr, web::plain(on(list_own)).returns<OwnList>().describe(about_own),
       "List the caller's streams with their keys, oldest first"},
      {web::POST, "/api/streams/:streamId/rotate-key", session, nullptr,
       web::plain(on(rotate_key)).returns<StreamAnswer>().describe(about_rotation).fails({web::Kind::not_found}),
       "Replace the key of a stream"},
      {web::DELETE, "/api/streams/:streamId", session, nullptr,
       web::plain(on(remove_own)).returns<web::Succeeded>().fails({web::Kind::not_found}), "Remove a stream"},
  };
}

}  // namespace streams
