#include "appliance/media/broadcasts/routes.h"

#include "appliance/media/broadcasts/handlers.h"

namespace broadcasts {

namespace {

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
