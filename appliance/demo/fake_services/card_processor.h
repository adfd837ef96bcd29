// A processor of card payments that speaks the part of Stripe's API which the box uses: checkout and billing portal are
// pages of its own, and what is decided there reaches the box as signed events.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>
#include <vector>

#include "appliance/demo/fake_services/form.h"
#include "appliance/demo/fake_services/known_box.h"
#include "web/routes/endpoint.h"

namespace demo {

// Its state is used on one thread, and is gone with the process.
class CardProcessor {
 public:
  explicit CardProcessor(const KnownBox&);

  std::vector<web::Route> routes();
  // Where the processor is. Set before the first request.
  void set_url(std::string url) { url_ = std::move(url); }
  const std::string& url() const { return url_; }
  const std::string& secret_key() const { return secret_key_; }
  const std::string& webhook_secret() const { return webhook_secret_; }
  // In the form of the setting STRIPE_PRICES.
  static std::vector<std::string> prices();

 private:
  struct Subscription {
    std::string customer, price;
    boost::json::object metadata;
  };

  web::Answer open_checkout(std::string authorization, std::string body);
  web::Answer open_portal(std::string authorization, std::string body);
  web::Answer show_checkout(std::string id) const;
  web::Answer pay(std::string id);
  web::Answer show_portal(std::string id) const;
  web::Answer change(std::string id, std::string body);

  web::Task<web::Result<void>> tell_of_subscription(std::string type, std::string id, const Subscription&);
  // Sends an event about `object` to the box. An error: the box does not accept it.
  web::Task<web::Result<void>> tell(std::string type, boost::json::object object);

  const KnownBox& box_;
  const std::string secret_key_, webhook_secret_;
  std::string url_;
  std::map<std::string, Form> checkouts_, portals_;  // not visited to their end, by id
  std::map<std::string, Subscription> subscriptions_;
  std::int64_t last_event_ = 0;  // seconds: the box orders events of a subscription by them
};

}  // namespace demo
