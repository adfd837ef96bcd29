#include "appliance/files/explorer/git/ssh_transport.h"

#include <git2/sys/transport.h>

#include <exception>
#include <memory>

#include "appliance/files/explorer/git/ssh_session.h"

namespace git {

namespace {

struct Transport;

// libgit2 sees only the first member.
struct Stream {
  git_smart_subtransport_stream base{};
  Transport& transport;
  SshSession session;
};

struct Transport {
  git_smart_subtransport base{};
  SshRequest& request;
  Stream* stream = nullptr;  // owned by libgit2

  // Runs `work` and converts its exceptions to an error of libgit2.
  template <class Work>
  int guarded(Work work) {
    try {
      work();
      return 0;
    } catch (const std::exception& failure) {
      request.refusal = failure.what();
    }
    git_error_set_str(GIT_ERROR_SSH, request.refusal.c_str());
    return GIT_EUSER;
  }
};

Stream& stream_of(git_smart_subtransport_stream* stream) { return *reinterpret_cast<Stream*>(stream); }
Transport& transport_of(git_smart_subtransport* transport) { return *reinterpret_cast<Transport*>(transport); }

int read_stream(git_smart_subtransport_stream* base, char* bytes, std::size_t size, std::size_t* got) {
  auto& stream = stream_of(base);
  return stream.transport.guarded([&] { *got = stream.session.read(bytes, size); });
}

int write_stream(git_smart_subtransport_stream* base, const char* bytes, std::size_t size) {
  auto& stream = stream_of(base);
  return stream.transport.guarded([&] { stream.session.write(bytes, size); });
}

void free_stream(git_smart_subtransport_stream* base) {
  auto& stream = stream_of(base);
  stream.transport.stream = nullptr;
  delete &stream;
}

std::unique_ptr<Stream> open_stream(Transport& transport, const char* program) {
  auto& request = transport.request;
  std::unique_ptr<Stream> stream(new Stream{
      .base = {.subtransport = &transport.base, .read = read_stream, .write = write_stream, .free = free_stream},
      .transport = transport,
      .session{request.route, request.deadline, request.credential}});
  stream->session.run(std::string(program) + " " + shell_quoted(request.path));
  return stream;
}

// The program starts when references are requested; later actions use the same stream.
int act(git_smart_subtransport_stream** out, git_smart_subtransport* base, const char*, git_smart_service_t service) {
  auto& transport = transport_of(base);
  const bool is_push = service == GIT_SERVICE_RECEIVEPACK_LS || service == GIT_SERVICE_RECEIVEPACK;
  return transport.guarded([&] {
    if (!transport.stream) {
      transport.stream = open_stream(transport, is_push ? "git-receive-pack" : "git-upload-pack").release();
    }
    *out = &transport.stream->base;
  });
}

int close_transport(git_smart_subtransport*) { return 0; }

void free_transport(git_smart_subtransport* base) { delete &transport_of(base); }

int make_subtransport(git_smart_subtransport** out, git_transport*, void* request) {
  auto* transport = new Transport{.base = {.action = act, .close = close_transport, .free = free_transport},
                                  .request = *static_cast<SshRequest*>(request)};
  *out = &transport->base;
  return 0;
}

}  // namespace

int make_ssh_transport(git_transport** out, git_remote* owner, SshRequest& request) {
  git_smart_subtransport_definition definition{.callback = make_subtransport, .rpc = 0, .param = &request};
  return git_transport_smart(out, owner, &definition);
}

}  // namespace git
