// Queries and application/x-www-form-urlencoded bodies, as browsers and API clients send them.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace demo {

using Form = std::map<std::string, std::string>;

// The first value of each name; empty for a text that is no form.
Form form_of(std::string_view text);
// Empty if there is none.
std::string value_of(const Form&, const std::string& name);

}  // namespace demo
