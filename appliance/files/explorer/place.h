// A folder that requests work on, and which names they may use in it.
#pragma once

#include <filesystem>
#include <string_view>

#include "appliance/files/path.h"
#include "web/result.h"

namespace explorer {

struct Place {
  std::filesystem::path folder;
  // True for an agent's workspace: the agent may write anything there, including the repository's configuration. False
  // for the operator's own folder, whose repository may be pushed to any remote.
  bool is_workspace = false;
  // Names that requests must not contain and listings omit, in addition to those of names.h; null: none.
  files::IsReserved hides = nullptr;
};

// The components of a path that a request reads, or changes. Errors as for files::components_of, and Kind::invalid for
// names that the place hides.
web::Result<files::Components> readable(const Place&, std::string_view path);
web::Result<files::Components> writable(const Place&, std::string_view path);
// Whether listings and searches show an entry of this name.
bool shows(const Place&, std::string_view name);

}  // namespace explorer
