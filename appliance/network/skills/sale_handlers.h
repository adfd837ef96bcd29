// Handlers of the rows about skills on sale.
#pragma once

#include <string>
#include <vector>

#include "appliance/network/skills/handlers.h"

namespace skills {

struct SaleRequest {
  AgentId agentId;
};
BOOST_DESCRIBE_STRUCT(SaleRequest, (), (agentId))

struct SaleItem {
  std::string skill, agentId, userId;
  std::string price;  // US dollars, paid in USDC; empty: the catalogue no longer has the skill
  store::Time since;
};
BOOST_DESCRIBE_STRUCT(SaleItem, (), (skill, agentId, userId, price, since))

struct SaleList {
  std::vector<SaleItem> skills;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(SaleList, (), (skills, count))

web::Answer list_sales(const Services&, const web::Request&);
web::Answer put_on_sale(const Services&, const web::Request&, SaleRequest);
web::Answer end_sale(const Services&, const web::Request&);

}  // namespace skills
