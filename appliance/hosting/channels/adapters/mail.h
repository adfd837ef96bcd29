// E-mail: a mailbox read over IMAP, answers by SMTP submission in the thread of the mail that they answer.
#pragma once

#include <optional>
#include <string>

#include "appliance/hosting/channels/adapter.h"
#include "appliance/hosting/channels/adapters/imap.h"
#include "appliance/hosting/channels/adapters/mime.h"
#include "appliance/hosting/channels/adapters/submission.h"

namespace channels {

// Options: "address"; "imap" and "smtp", servers as server_address() has them; "authserv", the name of the receiving
// server in Authentication-Results; "user" (default: the address), "folder" (INBOX), "name" (of the sender).
class MailBox final : public Adapter {
 public:
  MailBox(const Channel&, const AdapterSettings&);
  // invalid, naming the field.
  static web::Result<void> check(const Channel&, const AdapterSettings&);

  const Traits& traits() const override { return traits_; }
  web::Task<web::Result<std::string>> sign_in() override;
  web::Task<web::Result<std::vector<Received>>> receive() override;
  web::Task<SendResult> send(Sending) override;
  web::Task<web::Result<std::string>> download(FileReference) override;
  std::string invitation_url(std::string_view secret) const override;

 private:
  web::Task<web::Result<std::unique_ptr<Imap>>> open_mailbox() const;
  web::Task<web::Result<std::optional<Received>>> read(std::uint32_t uid);
  std::optional<Received> received_of(const ReadMail&, std::uint32_t uid) const;

  const std::string channel_, address_, authserv_, folder_, name_, user_, password_;
  const ServerAddress imap_, smtp_;
  const web::CallOrigin origin_;
  const web::Reach reach_;
  const store::Time since_;  // older mails are not answered
  Traits traits_;
  std::unique_ptr<Imap> mailbox_;
  std::vector<std::uint32_t> taken_;  // by the last receive(); marked by the next one
};

}  // namespace channels
