#include "appliance/media/broadcasts/handlers.h"

#include <algorithm>

namespace broadcasts {

namespace {

bool is_language(std::string_view text) {
  const auto is_allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return std::ranges::all_of(text, is_allowed) && text.front() != '-';
}

BroadcastView view_of(const Services& services, const Broadcast& broadcast,
                      const std::optional<streams::Stream>& stream) {
  BroadcastView view{
      .state = broadcast.state, .error = {}, .since = broadcast.since, .streamId = {}, .hlsUrl = {}, .embedUrl = {}};
  if (!broadcast.error.empty()) view.error = broadcast.error;
  const auto provider = services.streams.provider();
  if (!stream || !provider) return view;
  view.streamId = stream->id;
  view.hlsUrl = (*provider)->hls_url(stream->playback_id);
  view.embedUrl = (*provider)->embed_url(stream->playback_id);
  return view;
}

web::Answer go_on_air(const Services& services, const web::Request& request, BroadcastRequest body) {
  if (body.text.has_value() == body.file.has_value()) co_return web::invalid("Either text or file is required");
  if (body.language && !is_language(*body.language))
    co_return web::invalid("language must be a tag such as en or pt-br");
  auto agent = services.agents.find(request.caller.user_id, request.caller.agent);
  if (!agent) co_return web::not_found("No such agent");
  Program program;
  if (body.text) program.text = std::move(*body.text);
  if (body.file) program.file = std::move(*body.file);
  if (body.title) program.title = std::move(*body.title);
  if (body.language) program.language = std::move(*body.language);
  const auto stream = co_await services.broadcasts.start(std::move(*agent), std::move(program));
  if (!stream) co_return stream.error();
  co_return web::reply(view_of(services, {.since = store::now()}, *stream), 202);
}

web::Answer show_broadcast(const Services& services, const web::Request& request) {
  const auto broadcast = co_await services.broadcasts.find(request.caller.agent);
  if (!broadcast) co_return web::not_found("You have not been on air");
  co_return web::reply(
      view_of(services, *broadcast, services.streams.of_agent(request.caller.user_id, request.caller.agent)), 200);
}

web::Answer leave_air(const Services& services, const web::Request& request) {
  const bool was_on_air = co_await services.broadcasts.end(request.caller.agent);
  if (!was_on_air) co_return web::not_found("You are not on air");
  co_return web::reply(web::Succeeded(), 200);
}

constexpr const char* about_start =
    "Sends `text`, spoken in `language`, or `file`, a sound or video file of the workspace, to the agent's live "
    "stream, "
    "for an hour at most. `title` is shown meanwhile. One broadcast for each agent (409), four for the box (429); 402 "
    "if "
    "the agent's plan has no streams; 500 without ffmpeg or espeak-ng. Answers at once.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& token = guards.agent_token;
  const std::string path = "/api/agent-broadcast";
  return {
      {web::POST, path, token, nullptr,
       web::body<BroadcastRequest>(on(go_on_air))
           .returns<BroadcastView>(202)
           .describe(about_start)
           .fails({web::Kind::payment_required, web::Kind::conflict, web::Kind::too_many}),
       "Put the calling agent on air"},
      {web::GET, path, token, nullptr,
       web::plain(on(show_broadcast)).returns<BroadcastView>().fails({web::Kind::not_found}),
       "Show the present or last broadcast of the calling agent"},
      {web::DELETE, path, token, nullptr,
       web::plain(on(leave_air)).returns<web::Succeeded>().fails({web::Kind::not_found}),
       "Take the calling agent off the air"},
  };
}

}  // namespace broadcasts
