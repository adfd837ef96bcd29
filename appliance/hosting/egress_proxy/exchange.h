// Relays HTTP/1.1 requests from a command to servers, one after the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/credentials/credentials.h"
#include "appliance/hosting/egress_proxy/leg.h"
#include "appliance/hosting/egress_proxy/scrubber.h"
#include "web/protocol/head_check.h"

namespace egress_proxy {

// On whose behalf.
struct Peer {
  std::int64_t owner = 0;
  std::string agent;
};

class Exchange {
 public:
  // Opens the way to a destination: admitted, connected, and with TLS for
  // https.
  using Open = std::function<web::Task<web::Result<std::shared_ptr<Leg>>>(Destination)>;
  Exchange(Leg& client, Peer peer, credentials::Credentials* credentials, Open open);

  // Relays requests until the client or an answer ends the connection. `only`:
  // where all of them go, within a tunnel; otherwise each names its
  // destination. The client's input may hold the first one.
  web::Task<> run(std::optional<Destination> only);

 private:
  struct Request;
  struct Outcome {
    int status = 0;
    bool may_go_on = false;
    bool is_unanswered = false;  // the server has ended the connection instead; the client knows nothing of it
  };

  web::Task<std::optional<web::RequestHead>> next_head();
  web::Task<bool> relay(std::optional<Destination> only, web::RequestHead head);
  web::Task<bool> open_way(const Request&);
  web::Task<Outcome> exchange(Request&, Scrubber&, bool may_repeat);
  web::Task<web::Result<Outcome>> send(Request&);
  web::Task<bool> send_body(const web::RequestHead&);
  web::Task<Outcome> answer(const Request&, Scrubber&, bool may_repeat);
  web::Task<> refuse(web::Error);
  web::Task<> note(const Request&, int status, bool is_refused);

  Leg& client_;
  const Peer peer_;
  credentials::Credentials* const credentials_;  // null: none are put in
  const Open open_;
  std::shared_ptr<Leg> server_;
  Destination connected_;
};

}  // namespace egress_proxy
