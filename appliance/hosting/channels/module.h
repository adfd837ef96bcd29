// The parts of channels, in the order in which they are built, and how they are connected.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "appliance/hosting/channels/admission.h"
#include "appliance/hosting/channels/channels.h"
#include "appliance/hosting/channels/connections.h"
#include "appliance/hosting/channels/handlers.h"
#include "appliance/hosting/channels/outbox.h"
#include "appliance/hosting/channels/questions.h"
#include "appliance/hosting/channels/responder.h"
#include "appliance/hosting/channels/shared_files.h"
#include "appliance/hosting/deployments/channel_tokens.h"

namespace hosting {
class Module;
}

namespace channels {

class Messaging {
 public:
  // Of the module it uses what is built before this.
  explicit Messaging(hosting::Module&);

  Services services();
  web::Task<> start();
  web::Task<> stop();

  // See deployments::ChannelConnector.
  web::Task<> make_channels(store::UserId, std::string agent, deployments::ChannelTokens);
  // See notices::OwnerChannels.
  std::size_t count_owner_accounts(store::UserId, const std::string& agent) const;
  std::function<void()> add_to_owner(store::Change&, store::UserId, const std::string& agent, const std::string& text);
  // For Events::agent_removed.
  web::Task<> forget(store::UserId, std::string agent);

 private:
  web::Task<> take(const Channel&, std::vector<Received>);

  hosting::Module& hosting_;
  Connections connections_;
  Channels channels_;
  Outbox outbox_;
  Admission admission_;
  SharedFiles files_;
  Responder responder_;
  OwnerQuestions questions_;
};

}  // namespace channels
