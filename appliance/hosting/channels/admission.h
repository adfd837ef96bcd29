// Who may talk to an agent over a channel: nobody at first.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/channels/adapter.h"
#include "appliance/hosting/channels/outbox.h"
#include "appliance/hosting/channels/records.h"

namespace channels {

inline constexpr std::chrono::minutes pairing_reminder{10};  // between two answers to a person who waits
inline constexpr std::size_t max_pending = 100;              // of a channel
inline constexpr std::chrono::hours invitation_lifetime{24 * 7};

std::string peer_id(const std::string& channel, std::string_view address);

struct Invited {
  std::string secret, url;  // the url is empty if the provider has none: the person then sends the secret
  store::Time expires_at;
};

// Callable from every thread.
class Admission {
 public:
  // All of them must outlive it.
  Admission(store::System, const agents::AgentDirectory&, Connections&, Outbox&);

  // Stores what an admitted person wrote; durable when it returns. Nothing: it was received before, or the person is
  // not admitted and was told so, if anything.
  web::Task<std::optional<Inbound>> admit(const Channel&, Received);
  // The owner's decision. The person hears of an admission. not_found.
  web::Task<web::Result<Peer>> decide(store::UserId owner, std::string peer, Standing,
                                      std::optional<std::int64_t> daily_cap);
  // The channel's cap of each person holds for this one again. not_found.
  web::Task<web::Result<Peer>> remove_cap(store::UserId owner, std::string peer);
  // The pending person with this code. not_found.
  web::Result<Peer> pending_with(store::UserId owner, const std::string& channel, std::string_view code) const;
  // not_found: no such channel of the user's.
  web::Task<web::Result<Invited>> invite(store::UserId owner, std::string channel, bool is_for_owner);
  web::Task<> prune();
  // What becomes of presses of buttons, by people who are known. Before anything is served.
  using Press = std::function<web::Task<>(const Channel&, const Peer&, Received)>;
  void when_pressed(Press press) { pressed_ = std::move(press); }

 private:
  web::Task<bool> accept_invitation(const Channel&, const Received&, const Peer&);
  web::Task<> note_name(const Peer&);
  web::Task<> answer_stranger(const Channel&, Peer);
  web::Task<> refuse_over_cap(const Channel&, Peer);
  std::size_t count_pending(const Channel&) const;
  void greet(store::Change&, const Peer&, std::vector<Outbound>&) const;
  std::string name_of_agent(const Peer&) const;

  store::System system_;
  const agents::AgentDirectory& agents_;
  Connections& connections_;
  Outbox& outbox_;
  Press pressed_;
};

}  // namespace channels
