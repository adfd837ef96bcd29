// What a shipper knows of one connection. For its own sources.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "appliance/box/standby/shipper.h"

namespace standby {

// What a standby, or a promotion, says first.
struct Shipper::Hello {
  std::string purpose;  // follow, promote, fence
  std::uint64_t epoch = 0;
  Standing standing;
  std::map<std::string, std::uint32_t> families;
  Tree tree;
};

struct Shipper::Session {
  Session(Connection::Socket socket, boost::asio::ssl::context& context) : connection(std::move(socket), context) {}

  Connection connection;
  store::Position sent = 0;
  Tree known;  // folders of the standby
  std::unique_ptr<TreeSender> folders;
  std::shared_ptr<bool> is_alive = std::make_shared<bool>(true);
  bool is_listing = false, is_in_base = false;
  std::string address;
  Clock::time_point next_beat = Clock::now(), next_folders = Clock::now();
  std::string problem;
};

}  // namespace standby
