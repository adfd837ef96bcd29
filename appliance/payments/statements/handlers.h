#pragma once

#include <boost/describe.hpp>
#include <optional>

#include "appliance/payments/statements/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace payments::statements {

BOOST_DEFINE_ENUM_CLASS(Format, json, csv, html)

struct StatementQuery {
  std::optional<web::Text<1, 20>> month;
  std::optional<Format> format;
};
BOOST_DESCRIBE_STRUCT(StatementQuery, (), (month, format))

struct UserStatementQuery {
  web::Text<1, 254> user;
  std::optional<web::Text<1, 20>> month;
  std::optional<Format> format;
};
BOOST_DESCRIBE_STRUCT(UserStatementQuery, (), (user, month, format))

web::Answer show_statement(const Services&, const web::Request&, StatementQuery);
web::Answer show_user_statement(const Services&, const web::Request&, UserStatementQuery);

}  // namespace payments::statements
