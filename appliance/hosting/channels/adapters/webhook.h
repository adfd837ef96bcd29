// Signed JSON in and out (Standard Webhooks), for everything that has no adapter of its own.
#pragma once

#include <string>

#include "appliance/hosting/channels/adapter.h"

namespace channels {

// Option "url": where messages of the agent go; without it the channel only receives. The secret "token" signs both
// directions.
class Webhook final : public Adapter {
 public:
  Webhook(const Channel&, const AdapterSettings&);
  // invalid: the secret is no signing secret, or the box would never connect to the address.
  static web::Result<void> check(const Channel&, const AdapterSettings&);

  const Traits& traits() const override { return traits_; }
  web::Task<web::Result<std::string>> sign_in() override;
  web::Result<Push> push(const web::Request&, const std::string& body) const override;
  web::Task<SendResult> send(Sending) override;
  web::Task<web::Result<std::string>> download(FileReference) override;

 private:
  const std::string key_, url_, channel_;
  const web::CallOrigin origin_;
  const web::Reach reach_;
  Traits traits_;
};

}  // namespace channels
