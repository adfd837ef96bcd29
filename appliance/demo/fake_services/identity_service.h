// An OpenID provider (OpenID Connect Core, code flow with PKCE) with two accounts, which anybody may sign in to.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "appliance/demo/fake_services/form.h"
#include "appliance/demo/fake_services/known_box.h"
#include "appliance/foundation/crypto/jwt_signer.h"
#include "web/routes/endpoint.h"

namespace demo {

// Its state is used on one thread.
class IdentityService {
 public:
  explicit IdentityService(const KnownBox&);

  std::vector<web::Route> routes();
  // Where the service is. Set before the first request.
  void set_issuer(std::string url) { issuer_ = std::move(url); }
  const std::string& issuer() const { return issuer_; }
  const std::string& client_id() const { return client_id_; }
  const std::string& client_secret() const { return client_secret_; }

 private:
  // What a browser was sent back to the box with.
  struct Grant {
    std::string person, nonce, code_challenge, redirect_uri;
    std::chrono::steady_clock::time_point made_at;
  };

  web::Answer discovery() const;
  web::Answer keys() const;
  web::Answer choose_person(std::string_view query) const;
  web::Answer send_back(std::string_view query);
  web::Answer tokens(std::string authorization, std::string body);
  // What is wrong with a request for a code; empty if nothing is.
  std::string problem_of(const Form&) const;
  std::string id_token_of(const Grant&) const;

  const KnownBox& box_;
  const std::string client_id_ = "agentbox-demo", client_secret_, key_seed_;
  std::string public_key_, issuer_;
  const crypto::JwtSigner signer_;
  std::map<std::string, Grant> grants_;  // by code
};

}  // namespace demo
