#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "appliance/identity/audit/routes.h"
#include "web/endpoint.h"
#include "web/fields.h"

namespace audit {

struct ListQuery {
  std::optional<web::Integer<1, 10'000>> limit;
  std::optional<web::Integer<0, std::numeric_limits<std::int64_t>::max()>> before, after;
  std::optional<web::Text<1, 10>> format;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (limit, before, after, format))

struct EntryView {
  std::int64_t id = 0;
  store::Time at;
  std::string act, outcome;
  std::optional<std::string> userId;
  std::string subject, address;
};
BOOST_DESCRIBE_STRUCT(EntryView, (), (id, at, act, outcome, userId, subject, address))

struct EntryPage {
  std::vector<EntryView> entries;
  std::optional<std::int64_t> next;
};
BOOST_DESCRIBE_STRUCT(EntryPage, (), (entries, next))

web::Answer list_entries(const Services&, const web::Request&, ListQuery);

}  // namespace audit
