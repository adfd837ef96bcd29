#include "appliance/files/explorer/place.h"

#include <algorithm>

#include "appliance/files/explorer/names.h"

namespace explorer {

namespace {

web::Result<files::Components> visible(const Place& place, web::Result<files::Components> components) {
  if (!components || !place.hides) return components;
  const auto hidden = std::ranges::find_if(*components, place.hides);
  if (hidden == components->end()) return components;
  return web::invalid("path names a reserved file: " + *hidden);
}

}  // namespace

web::Result<files::Components> readable(const Place& place, std::string_view path) {
  return visible(place, files::components_of(path, is_unreadable));
}

web::Result<files::Components> writable(const Place& place, std::string_view path) {
  return visible(place, files::components_of(path, is_unwritable));
}

bool shows(const Place& place, std::string_view name) { return is_shown(name) && !(place.hides && place.hides(name)); }

}  // namespace explorer
