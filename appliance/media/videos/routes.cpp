#include "appliance/media/videos/routes.h"

#include "appliance/media/videos/handlers.h"

namespace videos {

namespace {

const web::RateLimit video_limit{.group = "videos", .limit = 10};

constexpr const char* about_generation =
    "`demo` needs `agentName` and `agentDescription`; `marketing` needs `productName` and `features`; `screenshot` "
    "needs "
    "`imageUrl` (PNG, JPEG, GIF or WebP at a public address) and `description`; `tutorial` needs `topic` and `steps`. "
    "`features` and `steps` are lists of at most ten texts, or one text with a line for each. An MP4 (H.264, AAC, "
    "1280x720) of `duration` seconds (10 to 60), else as long as its texts need; spoken in `language` where espeak-ng "
    "is "
    "installed, unless `narration` is false. One at a time for each user, two for the box. Answers when it is made, "
    "after five minutes at most, and stops making it if the client leaves. With `async` true it answers 202 with the "
    "video at once (GET /api/videos/:videoId and its events tell how it goes). `url` can be opened without signing in "
    "until `expiresAt`. 429 with `current` and `limit` if your storage for videos is full or too many are waiting; 500 "
    "without ffmpeg.";

constexpr const char* about_events =
    "Server-sent events: `progress` with the video as its data, whenever that changes; at the end `done` or `failed`, "
    "or "
    "`removed`.";

web::Endpoint generation(web::Endpoint endpoint) {
  endpoint.body = web::schema_of<VideoRequest>;
  return endpoint;
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::POST, "/api/generate-video", session, &video_limit,
       generation(web::body<boost::json::object>(on(generate))
                      .returns<VideoAnswer>()
                      .describe(about_generation)
                      .fails({web::Kind::too_many})),
       "Generate a video"},
      {web::GET, "/api/videos", session, nullptr, web::plain(on(list_videos)).returns<VideoList>(),
       "List the caller's videos, newest first"},
      {web::GET, "/api/videos/:videoId", session, nullptr,
       web::plain(on(show_video)).returns<VideoView>().fails({web::Kind::not_found}),
       "Show a video, with a new address if it is done"},
      {web::GET, "/api/videos/:videoId/events", session, nullptr,
       web::plain(on(follow_video)).describe(about_events).fails({web::Kind::not_found}),
       "Follow the making of a video"},
      {web::DELETE, "/api/videos/:videoId", session, nullptr,
       web::plain(on(remove_video)).returns<web::Succeeded>().fails({web::Kind::not_found}),
       "Delete a video, or stop making it"},
      {web::GET, "/videos/:file", guards.none, nullptr,
       web::query<LinkQuery>(on(send_video))
           .describe("The address that the other routes give; in parts, too (Range).")
           .fails({web::Kind::forbidden, web::Kind::not_found}),
       "The file of a video"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& token = guards.agent_token;
  return {
      {web::POST, "/api/agent-videos", token, nullptr,
       generation(web::body<boost::json::object>(on(generate_for_agent))
                      .returns<VideoView>(202)
                      .describe("As POST /api/generate-video with `async`.")
                      .fails({web::Kind::too_many})),
       "Generate a video for the calling agent"},
      {web::GET, "/api/agent-videos/:videoId", token, nullptr,
       web::plain(on(show_video)).returns<VideoView>().fails({web::Kind::not_found}),
       "Show a video of the calling agent"},
  };
}

}  // namespace videos
