// The multipart/form-data of an upload.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/uploads/uploads.h"
#include "web/result.h"

namespace uploads {

struct Form {
  std::string agent;
  std::vector<NewFile> files;  // paths begin with the form's folder
};

// The fields agentId and path, and every part with a filename. Kind::invalid names the field.
web::Result<Form> read_form(std::string_view content_type, std::string_view body);

}  // namespace uploads
