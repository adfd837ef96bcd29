// Signed requests to a certificate authority (RFC 8555, sections 6 and 7.1).
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>

#include "appliance/box/acme/account_key.h"
#include "web/client/fetch.h"

namespace acme {

// Why there is no certificate: a sentence with the cause.
struct Refused : std::runtime_error {
  explicit Refused(const std::string& reason, std::chrono::seconds pause = {})
      : std::runtime_error(reason), retry_after(pause) {}
  std::chrono::seconds retry_after;  // as the authority asked; 0: it did not
};

struct Reply {
  boost::json::object body;  // empty unless it is a JSON object
  std::string text, location;
  std::chrono::seconds retry_after{0};
};

class Directory {
 public:
  Directory(std::string url, AccountKey key) : url_(std::move(url)), key_(std::move(key)) {}

  const AccountKey& key() const { return key_; }

  // Reads what the authority offers, and finds or makes the account. `email` may be empty. Throws Refused.
  web::Task<> enter(std::string email);
  // The URL of a resource ("newOrder"). Throws Refused if the authority has none.
  std::string url_of(const std::string& resource) const;
  // Signs and sends; again with another nonce if the authority wants one. An empty payload reads the resource
  // (POST-as-GET). Throws Refused.
  web::Task<Reply> post(std::string url, std::string payload);

 private:
  web::Task<web::FetchResponse> send(web::FetchRequest) const;
  web::Task<std::string> take_nonce();

  const std::string url_;
  const AccountKey key_;
  boost::json::object resources_;
  std::string account_, nonce_;
};

}  // namespace acme
