// Runs one program at an ssh host, over libssh. The host's key is checked before authentication.
#pragma once

#include <libssh/libssh.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "appliance/files/explorer/git/connection.h"
#include "appliance/files/explorer/git/push.h"

namespace git {

// Errors, including an expired deadline, throw Failure with a message that contains no secret. Not thread-safe.
class SshSession {
 public:
  // Connects and authenticates with a private key as accepted by read_ssh_key. Throws unless the host presents one
  // of the keys in the credential.
  SshSession(const Route&, const Deadline&, const Credential&);
  SshSession(const SshSession&) = delete;
  ~SshSession() = default;

  // Called once. `command` is interpreted by the remote shell.
  void run(const std::string& command);
  // Reads at least one byte; 0 when the program has closed its output. Throws the program's error output if it wrote
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
  // Repeats a libssh call while it returns `again`, waiting for the network in between. Throws when the deadline has
  // passed.
  template <class Call>
  int retry_until_ready(int again, Call call);
  [[noreturn]] void fail(const char* what) const;

  std::string host_;
  Connection connection_;
  Owned<ssh_session> session_;
  Owned<ssh_channel> channel_;  // destroyed before its session
  bool has_answered_ = false;
};

// `text` quoted as one word of a POSIX shell.
std::string shell_quoted(std::string_view text);

}  // namespace git
