// A client of Stripe's API: form-encoded requests, JSON answers.
#pragma once

#include <boost/json.hpp>
#include <string>

#include "appliance/identity/oauth/form.h"
#include "web/result.h"
#include "web/task.h"

namespace payments::stripe {

// Callable from every thread.
class Api {
 public:
  Api(std::string url, std::string key) : url_(std::move(url)), key_(std::move(key)) {}

  bool is_configured() const { return !key_.empty(); }
  // `path` such as "/v1/checkout/sessions". bad_gateway: Stripe did not answer, or refused; its reason is in the
  // detail.
  web::Task<web::Result<boost::json::object>> post(std::string path, oauth::Parameters) const;

 private:
  const std::string url_, key_;
};

}  // namespace payments::stripe
