#include "appliance/runtime/isolation.h"

#include "web/ascii.h"

namespace runtime {

std::string to_string(const Isolation& isolation) {
  std::string text = boost::describe::enum_to_string(isolation.level, "none");
  if (!isolation.by.empty()) text += ": " + web::join(isolation.by, ", ");
  if (!isolation.lacks.empty()) text += "; without " + web::join(isolation.lacks, ", ");
  return text;
}

}  // namespace runtime
