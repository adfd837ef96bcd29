// The box as an OAuth client: exchanges codes for tokens and fetches resources with them.
#pragma once

#include <boost/json.hpp>
#include <string>

#include "web/result.h"
#include "web/task.h"

namespace oauth {

struct Client {
  std::string id, secret;
  bool sends_basic = true;  // sends its secret in the Authorization header; else in the form
};

struct Tokens {
  std::string access, id, refresh;  // the last two may be empty
};

struct CodeExchange {
  std::string endpoint, code, code_verifier, redirect_uri;
};

// unauthenticated: the provider refused, with its error in the detail; bad_gateway: no usable answer.
web::Task<web::Result<Tokens>> exchange_code(Client, CodeExchange);
// The same for a refresh token. If the answer has no new one, the old one stays valid.
web::Task<web::Result<Tokens>> refresh(Client, std::string endpoint, std::string refresh_token);

struct Document {
  std::string media_type;  // in lower case, without parameters
  std::string text;
};

// GET with the token as bearer; bad_gateway unless the answer is 200.
web::Task<web::Result<Document>> get(std::string url, std::string access_token, std::string accept);
// The same; bad_gateway unless the answer is JSON, whatever its media type.
web::Task<web::Result<boost::json::value>> get_json(std::string url, std::string access_token = {});

bool is_true(const boost::json::value&, std::string_view name);

}  // namespace oauth
