#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "appliance/hosting/plan_egress/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace plan_egress {

struct NewBound {
  boost::json::value egress;
};
BOOST_DESCRIBE_STRUCT(NewBound, (), (egress))

struct BoundView {
  std::string plan;
  boost::json::value egress;
};
BOOST_DESCRIBE_STRUCT(BoundView, (), (plan, egress))

struct BoundList {
  std::vector<BoundView> plans;
};
BOOST_DESCRIBE_STRUCT(BoundList, (), (plans))

web::Answer show_bounds(const Services&, const web::Request&);
web::Answer change_bound(const Services&, const web::Request&, NewBound);

}  // namespace plan_egress
