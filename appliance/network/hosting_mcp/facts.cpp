#include "appliance/network/hosting_mcp/facts.h"

#include <stdexcept>

#include "hosting_mcp/render_json.h"
#include "web/routes/fields.h"

namespace hosting_mcp {

namespace {

Facts parsed_facts() {
  const auto json = web::parse_json(render_json, "render.json");
  if (!json) throw std::logic_error(json.error().message);
  auto facts = web::parse_value<Facts>(*json, "render.json");
  if (!facts) throw std::logic_error(facts.error().message);
  return std::move(*facts);
}

}  // namespace

const Facts& facts() {
  static const Facts read = parsed_facts();
  return read;
}

}  // namespace hosting_mcp
