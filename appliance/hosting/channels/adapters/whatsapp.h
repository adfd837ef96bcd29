// WhatsApp's Cloud API: events are pushed and signed, answers go to Meta's Graph API.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <mutex>
#include <string>

#include "appliance/hosting/channels/adapter.h"
#include "appliance/hosting/channels/adapters/whatsapp_message.h"

namespace channels {

// The token is a system user's access token. Secrets: "appSecret", which signs events, and "verifyToken", of the
// owner's choice. Options: "phoneNumberId"; "template" and "templateLanguage" name an approved template with one
// parameter for messages more than 24 hours after the person's last one. A chat is a phone number.
class WhatsApp final : public Adapter {
 public:
  WhatsApp(const Channel&, const AdapterSettings&);
  static web::Result<void> check(const Channel&, const AdapterSettings&);

  const Traits& traits() const override { return traits_; }
  web::Task<web::Result<std::string>> sign_in() override;
  web::Result<Push> push(const web::Request&, const std::string& body) const override;
  web::Task<SendResult> send(Sending) override;
  web::Task<> typing(std::string chat) override;
  web::Task<web::Result<std::string>> download(FileReference) override;
  std::string invitation_url(std::string_view secret) const override;

 private:
  web::FetchRequest request(std::string method, const std::string& path) const;
  web::Result<std::string> confirm(const web::Request&) const;
  void read_value(const boost::json::object& value, Push&) const;
  Received read_message(const boost::json::object& message, const boost::json::object& value) const;
  web::Task<SendResult> upload(Sending&) const;

  const std::string token_, app_secret_, verify_token_, api_url_, number_id_;
  const WhatsAppTemplate template_;
  const web::CallOrigin origin_;
  const web::Reach reach_;  // of addresses that Meta names
  const Traits traits_;
  mutable std::mutex mutex_;                              // protects what follows
  mutable std::map<std::string, std::string> last_read_;  // the last message of a chat, which typing() refers to
  std::string number_;
};

}  // namespace channels
