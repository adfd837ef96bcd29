#include "store/codec.h"

namespace store::codec {

void wrong_type(std::string_view field) {
  throw Corrupt("a stored record is damaged: its field '" + std::string(field) + "' has the wrong type");
}

boost::json::object parse(std::string_view bytes, boost::json::storage_ptr storage) {
  boost::system::error_code error;
  auto json = boost::json::parse(bytes, error, std::move(storage));
  if (error || !json.is_object())
    throw Corrupt("a stored record is damaged: its bytes are no JSON object" +
                  (error ? " (" + error.message() + ")" : std::string()));
  return std::move(json.get_object());
}

}  // namespace store::codec
