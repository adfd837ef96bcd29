#include "appliance/media/streams/routes.h"

#include "appliance/media/streams/handlers.h"

namespace streams {

namespace {

const web::RateLimit creation_limit{.group = "radio-streams", .limit = 10};
const web::RateLimit key_limit{.group = "radio-keys", .limit = 10, .limits_guesses = true};

constexpr const char* about_live =
    "Live streams, the latest first. `streamKey` is always empty here: it is the secret of the stream's owner. "
    "`listeners` is null where the provider does not say. 500 if streaming is not configured.";

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
      {web::GET, "/api/streams", session, nullptr, web::plain(on(list_own)).returns<OwnList>(),
       "List the caller's streams with their keys, oldest first"},
      {web::POST, "/api/streams/:streamId/rotate-key", session, nullptr,
       web::plain(on(rotate_key)).returns<StreamAnswer>().describe(about_rotation).fails({web::Kind::not_found}),
       "Replace the key of a stream"},
      {web::DELETE, "/api/streams/:streamId", session, nullptr,
       web::plain(on(remove_own)).returns<web::Succeeded>().fails({web::Kind::not_found}), "Remove a stream"},
  };
}

}  // namespace streams
