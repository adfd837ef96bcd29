// Telegram's Bot API: events by long polling or pushed with a secret token, answers as HTML.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "appliance/hosting/channels/adapter.h"

namespace channels {

// Options: "receive": "polling" (default) or "webhook", which needs a box with a public https address.
class Telegram final : public Adapter {
 public:
  Telegram(const Channel&, const AdapterSettings&);
  // invalid: the token cannot be one.
  static web::Result<void> check(const Channel&, const AdapterSettings&);

  const Traits& traits() const override { return traits_; }
  web::Task<web::Result<std::string>> sign_in() override;
  web::Task<web::Result<std::vector<Received>>> receive() override;
  web::Result<Push> push(const web::Request&, const std::string& body) const override;
  web::Task<SendResult> send(Sending) override;
  web::Task<> typing(std::string chat) override;
  web::Task<web::Result<std::string>> download(FileReference) override;
  std::string invitation_url(std::string_view secret) const override;

 private:
  struct Call;
  web::FetchRequest request(std::string_view method) const;
  web::Task<web::Result<boost::json::value>> call(std::string method, boost::json::object parameters,
                                                  std::chrono::seconds timeout = std::chrono::seconds(15)) const;
  web::Task<SendResult> deliver(web::FetchRequest, bool& is_markup_refused) const;
  web::FetchRequest message_request(const Sending&, bool is_plain) const;
  web::FetchRequest file_request(const Sending&) const;
  std::optional<Received> read_update(const boost::json::value& update) const;
  std::optional<Received> read_message(const boost::json::object& message) const;
  std::string webhook_secret() const;

  const std::string token_, api_url_, channel_, site_;
  const web::CallOrigin origin_;
  Traits traits_;
  mutable std::mutex mutex_;  // protects username_ and bot_id_
  std::string username_;
  std::int64_t bot_id_ = 0;
  std::int64_t next_update_ = 0;
};

}  // namespace channels
