// One program run at an ssh host, over libssh: who the host is is checked before anything is said about who we are.
#pragma once

#include <libssh/libssh.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "appliance/files/explorer/git/connection.h"
#include "appliance/files/explorer/git/push.h"

namespace git {

// Whatever goes wrong is thrown as Failure with a sentence of its own, which holds no secret; so is deadline that is
// over. One thread at a time.
class SshSession {
 public:
  // Connects and signs in with a private key as read_ssh_key takes it. Throws unless the host shows one of the keys
  // that the credential names.
  SshSession(const Route&, const Deadline&, const Credential&);
  SshSession(const SshSession&) = delete;
  ~SshSession() = default;

  // Once. `command` is read by the other end's shell.
  void run(const std::string& command);
  // At least one byte; 0 when the program has closed its output. Throws what the program complains of when it has said
  // nothing else.
  std::size_t read(char* bytes, std::size_t size);
  void write(const char* bytes, std::size_t size);

 private:
  struct Free {
    void operator()(ssh_session session) const { ssh_free(session); }
    void operator()(ssh_channel channel) const { ssh_channel_free(channel); }
  };
  template <class Handle>
  using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Free>;

  void configure(const std::string& user);
  void check_host(const std::vector<std::string>& known) const;
  void authenticate(const std::string& key);
  // Repeats a call of libssh while it answers `again`, waiting for the network in between; its result. Throws when
  // deadline is over.
  template <class Call>
  int patiently(int again, Call call);
  [[noreturn]] void fail(const char* what) const;

  std::string host_;
  Connection connection_;
  Owned<ssh_session> session_;
  Owned<ssh_channel> channel_;  // which goes before its session
  bool has_answered_ = false;
};

// `text` as one word of a POSIX shell.
std::string shell_quoted(std::string_view text);

}  // namespace git
