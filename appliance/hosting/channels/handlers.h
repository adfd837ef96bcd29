#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/channels/admission.h"
#include "appliance/hosting/channels/channels.h"
#include "appliance/hosting/channels/outbox.h"
#include "appliance/hosting/channels/responder.h"
#include "appliance/hosting/channels/views.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace channels {

// What the rows depend on; all of it must outlive them.
struct Services {
  store::System system;
  Channels& channels;
  Connections& connections;
  Admission& admission;
  Outbox& outbox;
  Responder& responder;
  audit::Audit& audit;
};

struct NewChannelRequest {
  Kind kind;
  web::Text<1, 1'000> token;
  std::optional<boost::json::object> options, secrets;
  std::optional<Access> access;
};
BOOST_DESCRIBE_STRUCT(NewChannelRequest, (), (kind, token, options, secrets, access))

using AllowList = web::List<web::Text<1, 200>, 0, 500>;

struct ChannelChange {
  std::optional<web::Text<1, 1'000>> token;
  std::optional<boost::json::object> options, secrets;
  std::optional<Access> access;
  std::optional<AllowList> allowed;
  std::optional<web::Integer<0, 1'000'000>> dailyCap, peerDailyCap;
  std::optional<bool> enabled;
  std::optional<TokenUser> usedBy;
};
BOOST_DESCRIBE_STRUCT(ChannelChange, (),
                      (token, options, secrets, access, allowed, dailyCap, peerDailyCap, enabled, usedBy))

struct PeerChange {
  Standing standing;
  std::optional<web::Integer<0, 1'000'000>> dailyCap;
};
BOOST_DESCRIBE_STRUCT(PeerChange, (), (standing, dailyCap))

struct PairingRequest {
  web::Text<1, 20> code;
  std::optional<bool> owner;
};
BOOST_DESCRIBE_STRUCT(PairingRequest, (), (code, owner))

struct InvitationRequest {
  std::optional<bool> owner;
};
BOOST_DESCRIBE_STRUCT(InvitationRequest, (), (owner))

struct KindChange {
  bool enabled;
  std::optional<web::List<web::Text<1, 20>, 0, 10>> plans;
};
BOOST_DESCRIBE_STRUCT(KindChange, (), (enabled, plans))

// /api/agents/:id/channels, for the owner; /api/channel-events, for providers.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/channels and /api/admin/channel-kinds.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace channels
