// Signing in with a code host: GitHub's OAuth flow, which Gitea and GitHub Enterprise speak too.
#pragma once

#include <string>

#include "appliance/identities/identities.h"
#include "appliance/oauth/browser_flow.h"
#include "appliance/oauth/callback.h"
#include "appliance/oauth/client.h"
#include "appliance/site.h"

namespace code_host {

struct Addresses {
  std::string base;  // where browsers go: https://github.com
  std::string api;   // https://api.github.com
};

// Callable from every thread; the arguments must outlive it.
class CodeHost : public oauth::SignInProvider {
 public:
  CodeHost(Addresses addresses, oauth::Client client, oauth::BrowserFlow flow, identities::Identities& identities,
           const agentbox::Site& site);

  bool is_configured() const override { return !client_.id.empty() && !client_.secret.empty(); }
  web::Task<web::Result<oauth::Departure>> begin(const web::Request&) override;
  web::Task<oauth::Arrival> finish(const web::Request&, oauth::CallbackQuery) override;

 private:
  web::Task<oauth::Arrival> enter(std::string access_token, accounts::Moment since);
  std::string redirect_uri() const { return site_.url("/api/auth/codehost/callback"); }

  const Addresses addresses_;
  const oauth::Client client_;
  oauth::BrowserFlow flow_;
  identities::Identities& identities_;
  const agentbox::Site& site_;
};

// The primary address of the list that the host's /user/emails answers.
struct Email {
  std::string address;  // empty: there is none
  bool is_verified = false;
};
Email primary_email(const boost::json::value& list);

}  // namespace code_host
