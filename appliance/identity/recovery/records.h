// Password recovery.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "store/store.h"
#include "store/table.h"

namespace recovery {

// A request to reset the password of an address. It is stored whether or not there is an account and processed
// afterwards, so that neither the answer nor its time reveals which.
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
  std::string email;  // where it was sent: invalid once the account has another address
  store::Time created_at{}, expires_at{};
  std::int64_t moment = 0;  // accounts::SessionEpoch: invalid once sessions were ended or the address was changed
};
BOOST_DESCRIBE_STRUCT(Token, (), (id, user_id, email, created_at, expires_at, moment))

inline const store::Global<Token> tokens{
    {.family = "reset_tokens", .number = 11},
    &Token::id,
    {store::index<Token>(1, "user", &Token::user_id), store::index<Token>(2, "expires", &Token::expires_at)}};

}  // namespace recovery
