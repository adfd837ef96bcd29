// What a box and its privileged helper say to each other: one message of fixed size each way, over a pair of
// SOCK_SEQPACKET sockets. The box asks, the helper answers each order once.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "sandbox/descriptor.h"

namespace sandbox {

enum class SpawnTask : std::uint32_t { start = 1, signal = 2, collect = 3, command = 4 };

struct SpawnOrder {
  SpawnTask task{};
  // start, with two descriptors: the file for the agent's output, and its listening socket. command, with five: input,
  // output and error, the text of the shell's commands, and where the socket of its network is sent; without ports
  std::uint32_t user = 0;
  char agent[64] = {};  // its folder below agents/; ends with a zero
  std::uint16_t listens = 0, connects[2] = {};
  std::uint64_t memory_bytes = 0, file_bytes = 0, open_files = 0, processes = 0;
  std::int32_t niceness = 0, oom_score = 0;
  std::uint64_t group_memory_bytes = 0;
  std::uint32_t group_processes = 0, group_millicores = 0;
  std::uint64_t data_bytes = 0, temporary_bytes = 0;  // command: see Limits; of its /tmp
  std::uint32_t place = 0;                            // command: a CommandPlace
  // signal, collect
  std::int32_t pid = 0;
  std::int32_t signal = 0;  // SIGTERM or SIGKILL
};

enum SpawnFeature : std::int32_t { with_control_groups = 1, with_commands = 2 };

struct SpawnAnswer {
  std::int32_t error = 0;  // errno; 0: done
  char step[120] = {};     // that failed, to follow "could not"; first, without an error: the tree that commands see
  // first: a sum of SpawnFeature; start and command: the pid, with its pidfd; collect: as of waitpid
  std::int32_t value = 0;
};
static_assert(std::is_trivially_copyable_v<SpawnOrder> && std::is_trivially_copyable_v<SpawnAnswer>);

// The most descriptors of a message.
inline constexpr std::size_t max_descriptors = 5;

// False with errno if the other end is gone, or a descriptor is not open. Raises no SIGPIPE.
bool send_message(int socket, const void* message, std::size_t size, std::span<const int> descriptors = {});

struct Received {
  std::size_t size = 0;                 // of the message, also if it was longer than the buffer
  std::vector<Descriptor> descriptors;  // closed on exec
  bool is_cut = false;                  // the message or its descriptors did not fit
};
// nullopt if the other end is gone, or sent a message without a byte.
std::optional<Received> receive_message(int socket, void* message, std::size_t size);

}  // namespace sandbox
