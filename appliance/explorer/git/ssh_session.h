// One program run at an ssh host, over libssh2: who the host is is checked before anything is said about who we are.
#pragma once

#include <libssh2.h>

#include <memory>
#include <string>
#include <vector>

#include "appliance/explorer/git/connection.h"

namespace git {

// Whatever goes wrong is thrown as Failure with a sentence of its own, which holds no secret; so is patience that is
// over. One thread at a time.
class SshSession {
 public:
  // Connects. Throws unless the host shows a key with one of these fingerprints (SHA256:...).
  SshSession(const Route&, const Patience&, const std::vector<std::string>& host_keys);
  SshSession(const SshSession&) = delete;
  ~SshSession();

  // Signs in with a private key in PEM or OpenSSH's form.
  void authenticate(const std::string& user, const std::string& key);
  // Once, after that. `command` is read by the other end's shell.
  void run(const std::string& command);
  // At least one byte; 0 when the program has closed its output. Throws what the program complains of when it has said
  // nothing else.
  std::size_t read(char* bytes, std::size_t size);
  void write(const char* bytes, std::size_t size);

 private:
  struct Free {
    void operator()(LIBSSH2_SESSION*) const;
    void operator()(LIBSSH2_CHANNEL*) const;
  };

  void check_host(const std::vector<std::string>& known) const;
  // Repeats a call of libssh2 while that waits for the network; its result. Throws when patience is over.
  template <class Call>
  auto patiently(Call call);
  [[noreturn]] void fail(const char* what) const;

  std::string host_;
  Connection connection_;
  std::unique_ptr<LIBSSH2_SESSION, Free> session_;
  std::unique_ptr<LIBSSH2_CHANNEL, Free> channel_;  // before its session
  bool has_answered_ = false;
};

// `text` as one word of a POSIX shell.
std::string shell_quoted(std::string_view text);

}  // namespace git
