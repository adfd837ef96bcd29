// Files that people send to agents, and files that agents' answers link to.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "appliance/hosting/channels/adapter.h"
#include "appliance/hosting/channels/records.h"
#include "appliance/hosting/uploads/uploads.h"

namespace channels {

inline constexpr std::size_t max_files_in = 10, max_files_out = 5;  // of a message
inline constexpr std::size_t max_voice_note = 4u << 20;             // that is written down

// The text of what is said in a sound, at the expense of the agent's owner.
using Transcribe = std::function<web::Task<web::Result<std::string>>(store::UserId, std::string agent, std::string)>;

// A conversation's place for files: the owner's is the workspace, a peer's is its own folder, so that no peer reaches
// what the owner keeps.
struct FilePlace {
  store::UserId owner = 0;
  std::string agent;
  std::string peer, conversation;  // as the agent's program names them; no peer: the owner
};

class SharedFiles {
 public:
  // `folder` has a folder for each agent. All of them must outlive it.
  SharedFiles(uploads::Uploads&, std::filesystem::path folder, boost::asio::thread_pool& blocking, Transcribe);

  // Fetches and stores the files of a message. What to say to the agent about them: a line for each, and what is said
  // in voice notes, if a model of the box writes it down.
  web::Task<std::string> take(FilePlace, Adapter&, std::string message, std::vector<FileReference>);

  struct Linked {
    std::string path;  // beneath the workspace, for Outbound::file
    std::string name;
  };
  // Those files that the answer links to and that exist in the place; at most max_files_out.
  web::Task<std::vector<Linked>> linked(FilePlace, std::string markdown);

 private:
  web::Task<std::string> words_in(const FilePlace&, std::string sound);
  web::Task<web::Result<void>> store(const FilePlace&, const std::string& path, std::string content);

  uploads::Uploads& uploads_;
  const std::filesystem::path folder_;
  boost::asio::thread_pool& blocking_;
  const Transcribe transcribe_;
};

}  // namespace channels
