#pragma once

#include <boost/describe.hpp>
#include <vector>

#include "appliance/box/status/routes.h"
#include "store/codec.h"
#include "web/routes/endpoint.h"

namespace status {

struct StatusView {
  State status = State::up;
  std::vector<Part> parts;
  store::Time timestamp{};
};
BOOST_DESCRIBE_STRUCT(StatusView, (), (status, parts, timestamp))

// Both are 404 unless STATUS_PAGE is on.
web::Answer show_status(const Services&, const web::Request&);
web::Answer show_page(const Services&, const web::Request&);

}  // namespace status
