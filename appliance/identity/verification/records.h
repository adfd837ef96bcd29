// Verification of e-mail addresses.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "appliance/access/records.h"
#include "store/store.h"
#include "store/table.h"

namespace verification {

struct Token {
  std::string id;  // SHA-256 of the token in hex
  std::int64_t user_id = 0;
  std::string email;  // where it was sent: invalid once the account has another address
  store::Time created_at{}, expires_at{};
  accounts::SessionEpoch moment = 0;  // invalid once the address was changed
};
BOOST_DESCRIBE_STRUCT(Token, (), (id, user_id, email, created_at, expires_at, moment))

inline const store::Global<Token> tokens{
    {.family = "email_tokens", .number = 14},
    &Token::id,
    {store::index<Token>(1, "user", &Token::user_id), store::index<Token>(2, "expires", &Token::expires_at)}};

}  // namespace verification
