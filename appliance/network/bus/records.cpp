#include "appliance/network/bus/records.h"

namespace bus {

namespace {

constexpr std::size_t digits_of_number = 16;

}  // namespace

std::string numbered(std::string_view agent, std::int64_t number) {
  auto digits = std::to_string(number);
  digits.insert(0, digits.size() < digits_of_number ? digits_of_number - digits.size() : 0, '0');
  return std::string(agent) + "/" + digits;
}

std::string lane_of(Channel channel, std::string_view from, std::string_view to) {
  return std::string(boost::describe::enum_to_string(channel, "")).append(":").append(from).append(":").append(to);
}

std::string sent_id(std::string_view from, std::string_view message_id) {
  return std::string(from).append("/").append(message_id);
}

}  // namespace bus
