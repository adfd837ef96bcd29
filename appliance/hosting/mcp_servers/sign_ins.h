// Sign-ins of owners at MCP servers, for their agents (OAuth 2.1): the authorization request, the tokens, and their
// renewal. Tokens stay with the box.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "appliance/hosting/mcp_servers/discovery.h"
#include "appliance/hosting/mcp_servers/server_config.h"
#include "appliance/hosting/mcp_servers/sign_in_records.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace mcp_servers {

inline constexpr std::chrono::minutes sign_in_lifetime{10};

struct Callback {
  std::string state, code, issuer, error;
};

// Thread-safe.
class SignIns {
 public:
  // `redirect_uri`: where browsers come back to. Tokens are renewed on `home`.
  SignIns(store::System system, web::Reach reach, boost::asio::io_context& home,
          std::function<std::string()> redirect_uri)
      : system_(std::move(system)), reach_(reach), home_(home), redirect_uri_(std::move(redirect_uri)) {}

  // The address at which the owner signs in. The errors of discovery.h.
  web::Task<web::Result<std::string>> begin(store::UserId, std::string agent, ServerConfig);
  // The sign-in that was finished. invalid: it is not the owner's, too old, or the callback is not its issuer's.
  web::Task<web::Result<SignIn>> finish(store::UserId, Callback);
  // The id of the sign-in that has this state, also if finish() has refused it.
  std::string id_of(store::UserId, const std::string& state) const;
  // For requests to the server; empty: nobody has signed in there. `refused`: a token that the server has refused, so
  // that it is renewed at once.
  web::Task<std::string> token(store::UserId, std::string agent, ServerConfig, std::string refused);
  bool has_token(store::UserId, const std::string& agent, const ServerConfig&) const;
  // Forgets the tokens; the issuer is asked to revoke them.
  web::Task<> end(store::UserId, std::string agent, std::string server);
  // For Events::agent_removed.
  web::Task<> forget(store::UserId, std::string agent);

 private:
  std::optional<store::Row<SignIn>> find(store::UserId, const std::string& agent, const ServerConfig&) const;
  web::Task<std::string> renewed(store::UserId, std::string id, std::string refused);
  web::Task<std::string> renew(store::UserId, std::string id, std::string refused);
  web::Task<web::Result<void>> request_tokens(SignIn&, std::vector<std::pair<std::string_view, std::string>>) const;
  Asking asking(store::UserId, std::string_view id) const;

  const store::System system_;
  const web::Reach reach_;
  boost::asio::io_context& home_;
  const std::function<std::string()> redirect_uri_;
  std::map<std::string, std::shared_ptr<web::Timer>> renewing_;  // by id; used on home
};

}  // namespace mcp_servers
