#include "sandbox/spawn_messages.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sandbox {

bool send_message(int socket, const void* message, std::size_t size, std::span<const int> descriptors) {
  iovec part{.iov_base = const_cast<void*>(message), .iov_len = size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * max_descriptors)] = {};
  msghdr head{};
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  if (!descriptors.empty()) {
    const auto sent = descriptors.first(std::min(descriptors.size(), max_descriptors));
    head.msg_control = control;
    head.msg_controllen = CMSG_SPACE(sent.size_bytes());
    cmsghdr* const rights = CMSG_FIRSTHDR(&head);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sent.size_bytes());
    std::memcpy(CMSG_DATA(rights), sent.data(), sent.size_bytes());
  }
  ssize_t sent;
  do sent = ::sendmsg(socket, &head, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(size);
}

std::optional<Received> receive_message(int socket, void* message, std::size_t size) {
  iovec part{.iov_base = message, .iov_len = size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * max_descriptors)] = {};
  msghdr head{};
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  head.msg_control = control;
  head.msg_controllen = sizeof control;
  ssize_t got;
  do got = ::recvmsg(socket, &head, MSG_CMSG_CLOEXEC | MSG_TRUNC);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return std::nullopt;
  Received received{.size = static_cast<std::size_t>(got),
                    .descriptors = {},
                    .is_cut = (head.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0};
  for (cmsghdr* one = CMSG_FIRSTHDR(&head); one; one = CMSG_NXTHDR(&head, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = 0; CMSG_LEN(at + sizeof(int)) <= one->cmsg_len; at += sizeof(int)) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(one) + at, sizeof descriptor);
      received.descriptors.emplace_back(descriptor);
    }
  }
  return received;
}

}  // namespace sandbox
