// Images of other makers that agents can be made of, with what the box has to know of each.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace image_catalogue {

struct Variable {
  std::string name, value;
};
BOOST_DESCRIBE_STRUCT(Variable, (), (name, value))

// What is not set is as the image's labels say (runtime/docker/image.h).
struct CatalogueImage {
  std::string name;  // in addresses: lower-case letters, digits and hyphens
  std::string title, description, homepage;
  std::string image;  // as the engine knows it
  std::optional<std::int64_t> port;
  std::optional<std::string> probe, memory_min;
  std::optional<bool> takes_forwarded, wants_history;
  std::vector<Variable> environment;
  std::vector<Variable> volumes;  // names of folders, and where the container has them
  bool is_enabled = true;
  bool is_shipped = false;  // with the box; not stored
};
BOOST_DESCRIBE_STRUCT(CatalogueImage, (),
                      (name, title, description, homepage, image, port, probe, memory_min, takes_forwarded,
                       wants_history, environment, volumes, is_enabled))

// Those of the administrator, which replace shipped ones of the same name.
inline const store::Global<CatalogueImage> table{
    {.family = "catalogue_images", .number = 247}, &CatalogueImage::name, {}};

}  // namespace image_catalogue
