// Receives security events. They are stored before they are acknowledged and acted upon in the background, also after a
// crash.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/periodic.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/identities/identities.h"
#include "appliance/identity/security_events/token.h"

namespace security_events {

enum class Matching { by_subject_or_email, by_email };

// receive() is callable from every thread; the arguments must outlive it.
class SecurityEvents {
 public:
  SecurityEvents(store::System, Transmitter, identities::Identities&, accounts::Accounts&, accounts::Sessions&,
                 audit::Audit&, boost::asio::io_context& home);

  // Durable once this returns. False: it was received before, and nothing changes. Errors of verify.
  web::Task<web::Result<bool>> receive(std::string_view token, Matching);
  // Newest first, before the event of that id; without an id from the newest on. Empty if there is no such event.
  // Blocks.
  std::vector<Received> list(const std::string& before, std::size_t limit) const;
  // Acts upon all pending events, one at a time, on `home`.
  web::Task<> work();
  // Removes events older than 400 days.
  web::Task<> sweep(store::Time now);

  void start();
  web::Task<> stop();

 private:
  web::Task<> act(Received);
  web::Task<std::string> act(const Event&, store::UserId);
  std::optional<accounts::User> user_of(const Event&) const;

  store::System system_;
  const Transmitter transmitter_;
  oidc::KeyCache keys_;
  identities::Identities& identities_;
  accounts::Accounts& accounts_;
  accounts::Sessions& sessions_;
  audit::Audit& audit_;
  agentbox::Periodic worker_;
};

// The short names of the events that are acted upon or acknowledged.
const std::vector<std::string>& supported_events();

}  // namespace security_events
