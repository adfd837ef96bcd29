// Questions of the gate on the channels of an agent's owner: asked with two buttons, and answered by a press.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <string>

#include "appliance/foundation/periodic.h"
#include "appliance/hosting/channels/adapter.h"
#include "appliance/hosting/channels/outbox.h"
#include "appliance/hosting/gate/gate.h"

namespace channels {

class OwnerQuestions {
 public:
  // Whether the owner wants the question on channels now. It is asked again later.
  using IsWanted = std::function<bool(const gate::Ask&)>;
  // All of them must outlive it.
  OwnerQuestions(store::System, gate::Gate&, Connections&, Outbox&, IsWanted, boost::asio::io_context& home);

  void start() { rounds_.start(); }
  web::Task<> stop() { return rounds_.stop(); }

  // A button was pressed. Only presses by accounts of the agent's owner count. Callable from every thread.
  web::Task<> pressed(const Channel&, const Peer&, Received);

 private:
  // Sends the questions that wait and were not sent before. Does nothing while no channel is connected.
  web::Task<> look();
  web::Task<> ask_on_channels(const gate::Ask&);

  store::System system_;
  gate::Gate& gate_;
  Connections& connections_;
  Outbox& outbox_;
  const IsWanted is_wanted_;
  agentbox::Periodic rounds_;
};

}  // namespace channels
