#include "appliance/media/videos/handlers.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/media/sending/send_file.h"

namespace videos {

namespace {

template <class View>
void add_link(View& view, const Services& services, const Video& video) {
  const auto now = store::now();
  if (video.is_in_bucket) {
    const auto validity = std::min<std::chrono::seconds>(
        std::chrono::duration_cast<std::chrono::seconds>(services.links.lifetime()), bucket::longest_validity);
    view.url = services.videos.bucket_address_of(video.id, now, validity);
    view.expiresAt = now + validity;
    return;
  }
  const auto link = services.links.link_to(video.id, now);
  view.url = services.web_url + link.path;
  view.expiresAt = link.expires_at;
}

VideoView view_of(const Services& services, Video video) {
  VideoView view{.id = video.id,
                 .type = video.kind,
                 .title = std::move(video.title),
                 .agentId = {},
                 .status = video.status,
                 .error = {},
                 .url = {},
                 .expiresAt = {},
                 .seconds = video.seconds,
                 .bytes = video.bytes,
                 .createdAt = video.created_at,
                 .finishedAt = {}};
  if (!video.agent.empty()) view.agentId = std::move(video.agent);
  if (!video.error.empty()) view.error = std::move(video.error);
  if (video.finished_at != store::Time{}) view.finishedAt = video.finished_at;
  if (video.status == Status::done) {
    view.progress = 100;
    add_link(view, services, video);
  } else if (const auto progress = services.videos.progress().find(video.id)) {
    if (progress->is_running) view.status = Status::running;
    view.progress = progress->percent;
  }
  return view;
}

web::Result<bool> background_of(const boost::json::object& body) {
  const auto* given = body.if_contains("async");
  if (!given || given->is_null()) return false;
  if (given->is_bool()) return given->get_bool();
  return web::invalid("async must be true or false");
}

// The video of the path; an agent reaches its own only.
web::Result<Video> video_of(const Services& services, const web::Request& request) {
  auto video = services.videos.find(request.caller.user_id, request.param("videoId"));
  if (!video || (!request.caller.agent.empty() && video->agent != request.caller.agent))
    return web::not_found("No such video");
  return std::move(*video);
}

web::Response accepted(const Services& services, Video video) {
  return web::reply(view_of(services, std::move(video)), 202);
}

web::Task<> send_progress(Services services, store::UserId owner, std::string id, web::StreamWriter& writer) {
  constexpr std::chrono::milliseconds settling{50};
  constexpr auto no_deadline = std::chrono::steady_clock::time_point::max();
  std::string last;
  for (;;) {
    const auto progress = services.videos.progress().find(id);
    auto video = services.videos.find(owner, id);
    if (!video) {
      co_await writer.event("{}", "removed");
      co_return;
    }
    const bool has_ended = video->status == Status::done || video->status == Status::failed;
    const auto view = view_of(services, std::move(*video));
    const std::string name = has_ended ? std::string(boost::describe::enum_to_string(view.status, "")) : "progress";
    auto text = boost::json::serialize(web::to_json(view));
    if (text != last) co_await writer.event(text, name);
    if (has_ended) co_return;
    last = std::move(text);
    if (!progress) {  // it is being recorded how it has ended
      co_await web::sleep_for(settling);
      continue;
    }
    const bool is_connected = co_await services.videos.progress().wait(id, progress->version, no_deadline);
    if (!is_connected) co_return;
  }
}

web::Answer generate(const Services& services, const web::Request& request, boost::json::object body) {
  const auto is_background = background_of(body);
  if (!is_background) co_return is_background.error();
  NewVideo video{
      .owner = request.caller.user_id, .agent = {}, .order = std::move(body), .is_background = *is_background};
  auto ordered = co_await services.videos.order(std::move(video));
  if (!ordered) co_return ordered.error();
  if (*is_background) co_return accepted(services, std::move(*ordered));
  const auto made = co_await services.videos.wait(std::move(*ordered));
  if (!made) co_return made.error();
  VideoAnswer answer{.url = {}, .id = made->id, .seconds = made->seconds, .bytes = made->bytes};
  add_link(answer, services, *made);
  co_return web::reply(answer, 200);
}

web::Answer generate_for_agent(const Services& services, const web::Request& request, boost::json::object body) {
  NewVideo video{
      .owner = request.caller.user_id, .agent = request.caller.agent, .order = std::move(body), .is_background = true};
  auto ordered = co_await services.videos.order(std::move(video));
  if (!ordered) co_return ordered.error();
  co_return accepted(services, std::move(*ordered));
}

web::Answer list_videos(const Services& services, const web::Request& request) {
  VideoList answer;
  for (auto& video : services.videos.list(request.caller.user_id))
    answer.videos.push_back(view_of(services, std::move(video)));
  answer.count = std::int64_t(answer.videos.size());
  co_return web::reply(answer, 200);
}

web::Answer show_video(const Services& services, const web::Request& request) {
  auto video = video_of(services, request);
  if (!video) co_return video.error();
  co_return web::reply(view_of(services, std::move(*video)), 200);
}

web::Answer follow_video(const Services& services, const web::Request& request) {
  const auto video = video_of(services, request);
  if (!video) co_return video.error();
  auto response = web::server_sent_events(
      [services, owner = video->owner, id = video->id](web::StreamWriter& writer) -> web::Task<> {
        return send_progress(services, owner, id, writer);
      });
  response.endless = true;
  co_return response;
}

web::Answer remove_video(const Services& services, const web::Request& request) {
  const auto done = co_await services.videos.remove(request.caller.user_id, request.param("videoId"));
  if (!done) co_return done.error();
  co_return web::reply(web::Succeeded(), 200);
}

web::Answer send_video(const Services& services, const web::Request& request, LinkQuery query) {
  constexpr std::string_view ending = ".mp4";
  std::string id = request.param("file");
  if (!id.ends_with(ending)) co_return web::not_found("No such video");
  id.resize(id.size() - ending.size());
  if (!services.links.is_valid(id, query.expires, query.signature, store::now()))
    co_return web::forbidden("The address of this video has expired or is wrong");
  const auto video = services.videos.find(id);
  if (!video || video->status != Status::done || video->is_in_bucket) co_return web::not_found("No such video");
  const auto path = services.videos.file_of(id);
  sending::MediaFile file{.folder = path.parent_path(),
                          .name = path.filename(),
                          .content_type = "video/mp4",
                          .cache_control = "private, max-age=3600"};
  co_return co_await sending::send_file(services.blocking, std::move(file), request);
}

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
