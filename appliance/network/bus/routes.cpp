#include "appliance/network/bus/routes.h"

#include "appliance/network/bus/descriptions.h"
#include "appliance/network/bus/handlers.h"

namespace bus {

namespace {

const web::RateLimit mailbox_rate{.group = "bus-mailbox", .limit = 100};

// The signature covers members that the described struct does not name, so the handler gets the whole object.
web::Endpoint signed_message(web::Endpoint endpoint) {
  endpoint.body = web::schema_of<SendRequest>;
  return endpoint;
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/underground/messages", session, &mailbox_rate,
       web::query<MailboxQuery>(on(list_messages)).returns<MailboxAnswer>().describe(descriptions::mailbox),
       "Messages that came to one of the caller's agents, newest first"},
      {web::GET, "/api/underground/dead-letters", session, &mailbox_rate,
       web::query<DeadLetterQuery>(on(list_dead_letters))
           .returns<DeadLetterList>()
           .describe(descriptions::dead_letters),
       "Messages that could not be delivered to the caller's agents"},
      {web::POST, "/api/underground/dead-letters/:id/replay", session, &mailbox_rate,
       web::plain(on(replay_dead_letter)).returns<DeadLetterAnswer>(202).describe(descriptions::replay),
       "Deliver a dead letter again"},
      {web::DELETE, "/api/underground/dead-letters/:id", session, &mailbox_rate,
       web::plain(on(drop_dead_letter)).returns<DeadLetterAnswer>().describe(descriptions::drop), "Drop a dead letter"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, send_path, guards.none, nullptr,
       signed_message(web::body<boost::json::object>(on(send_message)))
           .returns<SendAnswer>()
           .fails({web::Kind::unauthenticated, web::Kind::not_found, web::Kind::conflict, web::Kind::too_many})
           .describe(descriptions::send),
       "Send a signed message from one agent to another"},
      {web::GET, "/api/agent-messages", guards.agent_token, nullptr,
       web::query<UnreadQuery>(on(list_unread)).returns<UnreadAnswer>().describe(descriptions::unread),
       "Messages that the calling agent has not read, oldest first"},
      {web::POST, "/api/agent-messages/read", guards.agent_token, nullptr,
       web::body<ReadRequest>(on(mark_read)).returns<ReadAnswer>(), "Mark messages of the calling agent as read"},
  };
}

}  // namespace bus
