// What agents tell their owners unasked: a message in the conversation with the agent, a mail, and a message to the
// accounts that the owner has linked to the agent's channels.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/identity/mail/outbox.h"
#include "appliance/identity/site.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace notices {

inline constexpr std::int64_t max_notices_a_day = 20;  // of an agent (UTC)

struct Notice {
  std::string agent;
  std::string subject;  // of the mail; empty: the text's first line
  std::string text;
};

struct Sent {
  std::string message;       // id of the message in the conversation
  bool is_mailed = false;    // false: there is no mail server, or the owner has no verified address
  std::size_t accounts = 0;  // on channels, to which it was sent
};

// Sends a text to the owner's accounts on the agent's channels; their number. Durable once it returns.
using ChannelSender = std::function<web::Task<std::size_t>(store::UserId, std::string agent, std::string text)>;

// Whether an agent has said that there is nothing to report: its owner is then not told.
bool says_nothing(std::string_view text);

// Callable from every thread.
class Notices {
 public:
  // All of them must outlive this.
  Notices(store::System, const agents::AgentDirectory&, chat::Chat&, mail::Outbox&, const agentbox::Site&,
          ChannelSender over_channels);

  // Durable once it returns. not_found when the agent is not the user's; too_many with `limit` and `resetsAt` when the
  // agent has sent as many today.
  web::Task<web::Result<Sent>> send(store::UserId owner, Notice);

 private:
  store::System system_;
  const agents::AgentDirectory& agents_;
  chat::Chat& chat_;
  mail::Outbox& outbox_;
  const agentbox::Site& site_;
  const ChannelSender over_channels_;
};

}  // namespace notices
