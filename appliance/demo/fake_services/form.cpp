#include "appliance/demo/fake_services/form.h"

#include <boost/url/parse_query.hpp>

namespace demo {

Form form_of(std::string_view text) {
  const std::string terminated(text);  // Boost 1.81 reads on to a NUL
  const auto parameters = boost::urls::parse_query(terminated);
  if (!parameters) return {};
  const boost::urls::encoding_opts as_form(true);
  Form form;
  for (const auto& each : *parameters) form.emplace(each.key.decode(as_form), each.value.decode(as_form));
  return form;
}

std::string value_of(const Form& form, const std::string& name) {
  const auto found = form.find(name);
  return found == form.end() ? std::string() : found->second;
}

}  // namespace demo
