// The box's HTTP interface, as its users and their programs use it. Blocks; every failure throws with the request and
// the box's own words.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "web/client/fetch.h"

namespace demo {

struct Account {
  std::string email, password;
};

struct Addresses {
  std::string web, backend, summarizer;
  std::string site;  // the web listener, as browsers are to know it
  std::string internal_key;
};

class Api {
 public:
  explicit Api(std::string url, web::FetchHeaders headers = {}) : url_(std::move(url)), headers_(std::move(headers)) {}

  boost::json::value call(const std::string& method, const std::string& path,
                          const boost::json::value& body = nullptr) const;

 protected:
  web::FetchResponse exchange(const std::string& method, const std::string& path, const boost::json::value& body) const;

  const std::string url_;
  web::FetchHeaders headers_;
};

// The backend, with the internal key.
Api backend_of(const Addresses&);

// Somebody with a browser.
class Person : public Api {
 public:
  explicit Person(const Addresses& box) : Api(box.web) {}
  void sign_in(const std::string& email, const std::string& password);
};

// The program of an agent, which has its token.
class AgentProgram : public Api {
 public:
  AgentProgram(const Addresses&, std::string agent, std::string box_token);
  // Signed with the agent's own key. Returns the box's answer.
  boost::json::value send(const std::string& action, boost::json::object payload, const std::string& to = {}) const;

 private:
  const std::string agent_, token_;
};

std::string text_at(const boost::json::value&, std::string_view pointer);

}  // namespace demo
