#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/identity/mail/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace mail {

struct ListQuery {
  std::optional<web::Integer<1, 1000>> limit;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (limit))

struct MailView {
  std::string id, to, subject, body;
  Delivery delivery;
  std::string problem;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(MailView, (), (id, to, subject, body, delivery, problem, createdAt))

struct MailList {
  std::vector<MailView> mails;
};
BOOST_DESCRIBE_STRUCT(MailList, (), (mails))

web::Answer list_mails(const Services&, const web::Request&, ListQuery);

}  // namespace mail
