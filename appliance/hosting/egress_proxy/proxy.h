// The way out of agents' commands and browsers: an HTTP proxy in the own network of each. It admits what the agent's
// egress and the box's policy admit, and puts the agent's credentials into requests of commands for which they are
// bound. Pages get none: what a page sends, its author has chosen.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "appliance/foundation/crypto/certificates.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/commands/commands.h"
#include "appliance/hosting/credentials/credentials.h"
#include "store/store.h"
#include "web/server/server.h"

namespace egress_proxy {

// Thread-safe.
class Proxy {
 public:
  struct Options {
    const char* part = "commands";  // the name of its clients in the egress ledger
    bool may_be_private = false;    // agents may reach any address and port
    // That certificates are made with; not set: one that is made anew at each start of the box, whose key is in memory
    // only.
    std::optional<crypto::CertifiedKey> authority = std::nullopt;
    // By which a client of serve_all() proves that it is of this agent.
    std::function<std::string(const agents::Agent&)> password_of = nullptr;
  };
  // `credentials`: null: none are put in. All of them must outlive it.
  Proxy(store::System, const agents::AgentDirectory&, credentials::Credentials*, web::IoPool&, Options);
  ~Proxy();  // after stop(), or with the pool stopped

  // Called when a command of an agent reaches for the network; callable from every thread. Before serve().
  void when_used(std::function<void(const std::string& agent)> used);
  // The certificate of the authority that the proxy makes certificates with, in PEM.
  const std::string& authority() const;
  // Serves until the result is destroyed.
  std::shared_ptr<void> serve(commands::Network);
  // The same for clients of all agents that run, on one socket: each sends its agent's id and password with basic
  // authentication, or is answered 407.
  std::shared_ptr<void> serve_all(files::Descriptor listening);
  // Ends all connections and waits for them.
  web::Task<> stop();

 private:
  struct State;
  std::shared_ptr<void> serve_on(commands::Network);

  const std::shared_ptr<State> state_;
};

}  // namespace egress_proxy
