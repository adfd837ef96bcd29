// Answers what admitted people write: commands at once, everything else by the agent, one message of a person after the
// other.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "appliance/foundation/periodic.h"
#include "appliance/foundation/semaphore.h"
#include "appliance/foundation/task_group.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/channels/admission.h"
#include "appliance/hosting/channels/outbox.h"
#include "appliance/hosting/channels/shared_files.h"
#include "appliance/hosting/chat/chat.h"

namespace channels {

struct LiveAnswer;

// The id of the conversation that the person's next message continues.
std::string current_conversation_of(const Channel&, const Peer&);

class Responder {
 public:
  // All of them must outlive it.
  Responder(store::System, const agents::AgentDirectory&, chat::Chat&, Connections&, Outbox&, SharedFiles&,
            boost::asio::io_context& home);

  // Works on a stored message. Callable from every thread.
  void take(Inbound);
  // Continues with what was stored.
  void start();
  // Messages in work are answered after the next start.
  web::Task<> stop();

 private:
  struct Lane {
    std::deque<Inbound> waiting;
    std::shared_ptr<chat::Pending::Entry> exchange;  // in progress
  };
  void enqueue(Inbound);
  web::Task<> run_lane(std::string peer);
  // False if the message is to be tried again at its next_at.
  web::Task<bool> answer(Inbound);
  std::shared_ptr<agentbox::Semaphore> places_at(const std::string& agent);
  web::Task<bool> ask(const Inbound&, const Peer&, Connection&);
  web::Task<> note_question(const Inbound&, std::string question);
  web::Task<> command(Inbound);
  std::string reply_to_command(const Inbound&, const Peer&);
  web::Task<> show_progress(std::shared_ptr<Connection>, std::string chat, std::shared_ptr<LiveAnswer>);
  web::Task<> finish(const Inbound&, std::string markdown, const std::string& edits = {},
                     std::vector<SharedFiles::Linked> files = {});
  web::Task<bool> postpone(const Inbound&, const Peer&, std::string reason);
  std::optional<std::string> earlier_answer(const Inbound&) const;
  web::Task<std::string> prompt_of(const Inbound&, const Peer&, Adapter&);
  web::Task<> prune();

  store::System system_;
  const agents::AgentDirectory& agents_;
  chat::Chat& chat_;
  Connections& connections_;
  Outbox& outbox_;
  SharedFiles& files_;
  boost::asio::io_context& home_;
  // Used on `home` only: by peer.
  std::map<std::string, Lane, std::less<>> lanes_;
  std::map<std::string, std::weak_ptr<agentbox::Semaphore>> places_;  // by agent
  agentbox::TaskGroup tasks_;
  agentbox::Periodic pruning_;
};

}  // namespace channels
