// Records as JSON for their owner: every member but secrets and their hashes.
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "store/codec.h"
#include "web/routes/reply.h"

namespace personal_data {

template <class T>
boost::json::value exported(const T& value) {
  namespace codec = store::codec;
  if constexpr (std::is_same_v<T, store::Time>) {
    return boost::json::value(web::iso8601(value));
  } else if constexpr (std::is_same_v<T, store::Decimal>) {
    return boost::json::value(value.to_string());
  } else if constexpr (codec::DescribedEnum<T>) {
    return boost::json::value(boost::describe::enum_to_string(value, ""));
  } else if constexpr (codec::is_optional<T>) {
    return value ? exported(*value) : boost::json::value();
  } else if constexpr (codec::is_vector<T>) {
    boost::json::array array;
    for (const auto& one : value) array.push_back(exported(one));
    return array;
  } else if constexpr (codec::is_string_map<T>) {
    boost::json::object object;
    for (const auto& [name, one] : value) object[name] = exported(one);
    return object;
  } else if constexpr (codec::DescribedStruct<T>) {
    boost::json::object object;
    boost::mp11::mp_for_each<codec::Members<T>>([&](auto member) {
      using Value = std::remove_cvref_t<decltype(value.*decltype(member)::pointer)>;
      constexpr std::string_view name = decltype(member)::name;
      constexpr bool is_secret =
          std::is_same_v<Value, store::Sealed> || std::is_same_v<Value, std::optional<store::Sealed>>;
      if constexpr (!is_secret && !name.ends_with("_hash")) object[name] = exported(value.*decltype(member)::pointer);
    });
    return object;
  } else {
    return boost::json::value(value);
  }
}

}  // namespace personal_data
