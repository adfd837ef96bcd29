#include "appliance/box/admin_mail.h"

#include "appliance/identity/accounts/user_search.h"
#include "appliance/identity/mail/outbox.h"

namespace agentbox {

web::Task<> mail_admins(const Platform& platform, const accounts::Accounts& accounts, mail::Outbox& outbox,
                        std::string subject, std::string text) {
  auto read = [&platform, &accounts] {
    const accounts::UserFilter filter{.text = {}, .is_admin = true, .is_disabled = false};
    return accounts::search_users(platform.system, accounts, filter);
  };
  const auto admins = co_await web::offload(platform.blocking, std::move(read));
  for (const auto& admin : admins) {
    mail::Letter letter{.to = admin.email, .subject = subject, .body = text};
    co_await outbox.post(std::move(letter));
  }
}

}  // namespace agentbox
