// Bodies of requests to providers, and what files are.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "web/result.h"

namespace channels {

using FormFields = std::vector<std::pair<std::string, std::string>>;

// application/x-www-form-urlencoded.
std::string form_encoded(const FormFields&);

// The field's value in an encoded form or query; empty if it is missing. invalid: it is not one.
web::Result<std::string> form_value(std::string_view encoded, std::string_view name);

struct FormFile {
  std::string part;  // the name of the field
  std::string_view file_name, media_type, content;
};
// multipart/form-data.
std::string form_data(const std::string& boundary, const FormFields&, const FormFile&);
std::string new_boundary();

// By the ending of the name; text/plain for other text, else application/octet-stream.
std::string_view media_type_of(std::string_view file_name, std::string_view content);

}  // namespace channels
