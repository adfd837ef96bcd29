// The way back for who forgot the password.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "store/store.h"
#include "store/table.h"

namespace recovery {

// Somebody asks for the account of an address. Stored whether there is one or not, and looked into afterwards: neither
// the answer nor the time it takes tells.
struct Request {
  std::int64_t id = 0;
  std::string email;  // lower case
};
BOOST_DESCRIBE_STRUCT(Request, (), (id, email))

inline const store::Global<Request, std::int64_t> requests{
    {.family = "reset_requests", .number = 10}, &Request::id, {}};

struct Token {
  std::string id;  // SHA-256 of the token in hex
  std::int64_t user_id = 0;
  std::string email;  // where it was sent: worth nothing once the account has another
  store::Time created_at{}, expires_at{};
  std::int64_t moment = 0;  // accounts::SessionEpoch: worth nothing once sessions or address have changed since
};
BOOST_DESCRIBE_STRUCT(Token, (), (id, user_id, email, created_at, expires_at, moment))

inline const store::Global<Token> tokens{
    {.family = "reset_tokens", .number = 11},
    &Token::id,
    {store::index<Token>(1, "user", &Token::user_id), store::index<Token>(2, "expires", &Token::expires_at)}};

}  // namespace recovery
