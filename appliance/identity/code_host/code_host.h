// Signing in with a code host: GitHub's OAuth flow, which Gitea and GitHub Enterprise speak too.
#pragma once

#include <string>

#include "appliance/identity/identities/identities.h"
#include "appliance/identity/oauth/browser_flow.h"
#include "appliance/identity/oauth/callback.h"
#include "appliance/identity/oauth/client.h"
#include "appliance/identity/site.h"

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
  std::string_view cookie_name() const override { return flow_.cookie_name(); }
  web::Task<web::Result<oauth::AuthorizationRedirect>> begin(oauth::Browser) override;
  web::Task<oauth::CallbackResult> finish(oauth::Browser, oauth::CallbackQuery) override;

 private:
  web::Task<oauth::CallbackResult> sign_in(std::string access_token, std::optional<std::string> invite_code,
                                           accounts::SessionEpoch since);
  std::string redirect_uri() const { return site_.url("/api/auth/codehost/callback"); }

  const Addresses addresses_;
  const oauth::Client client_;
  oauth::BrowserFlow flow_;
  identities::Identities& identities_;
  const agentbox::Site& site_;
};

// The primary address of the list that /user/emails of the host returns.
struct Email {
  std::string address;  // empty if there is none
  bool is_verified = false;
};
Email primary_email(const boost::json::value& list);

}  // namespace code_host
