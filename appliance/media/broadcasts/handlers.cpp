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

}  // namespace

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

}  // namespace broadcasts
