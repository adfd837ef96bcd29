// The box as the authorization server of /mcp, for connectors of web clients: clients register themselves (RFC 7591), a
// signed-in user lets them in, and they get tokens of an hour. An access token is an API key for tools of /mcp alone;
// clients and codes are not stored.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/network/mcp_server/authorization/records.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace mcp_authorization {

// Tools that only read; all tools.
inline constexpr auto reading = "mcp:read", acting = "mcp:act";

inline constexpr std::chrono::seconds token_lifetime{60 * 60}, code_lifetime{60};
inline constexpr std::chrono::days grant_lifetime{30};  // since its last use
inline constexpr std::size_t max_grants = 20;           // of a user

struct Client {
  std::string name;
  std::vector<std::string> redirect_uris;
};

// What a client asks a user for.
struct Wanted {
  std::string client_id, redirect_uri, response_type, code_challenge, code_challenge_method, scope, state, resource;
};
struct Checked {
  Client client;
  std::vector<std::string> scopes;
};

struct TokenSet {
  std::string access, refresh, scope;
};

// Thread-safe. Errors of clients have the code of OAuth (invalid_grant, ...).
class Authorization {
 public:
  // `key`: signs the ids of clients. `resource`: the address of /mcp; `read_tools`: names of those that only read.
  Authorization(store::System system, std::string key, std::function<std::string()> resource,
                std::vector<std::string> read_tools)
      : system_(std::move(system)),
        key_(std::move(key)),
        resource_(std::move(resource)),
        read_tools_(std::move(read_tools)) {}

  // The client's id, in which all of it is. invalid: names the field.
  web::Result<std::string> register_client(const Client&) const;
  std::optional<Client> client(std::string_view id) const;

  // invalid: the request must not be answered by a redirect.
  web::Result<Checked> check(const Wanted&) const;
  // A code for a user who lets the client in. too_many.
  web::Result<std::string> allow(store::UserId, const Wanted&, const Checked&);

  struct Redemption {
    std::string code, client_id, redirect_uri, verifier, resource;
  };
  web::Task<web::Result<TokenSet>> redeem(Redemption);
  web::Task<web::Result<TokenSet>> refresh(std::string token, std::string client_id);
  // Removes all grants of the user, with their keys.
  web::Task<> forget(store::UserId);

 private:
  struct Code {
    store::UserId user = 0;
    Wanted wanted;
    std::string client_name, scope;
    std::chrono::steady_clock::time_point until;
  };
  web::Task<web::Result<TokenSet>> begin(Code);
  std::vector<std::string> tools_of(std::string_view scope) const;
  void drop(store::Change&, const store::Row<Grant>&) const;

  const store::System system_;
  const std::string key_;
  const std::function<std::string()> resource_;
  const std::vector<std::string> read_tools_;
  std::mutex mutex_;                   // protects codes_
  std::map<std::string, Code> codes_;  // by SHA-256
};

}  // namespace mcp_authorization
