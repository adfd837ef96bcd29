// A root directory that a confined program sees in place of the machine's, and a network of its own. Needs namespaces;
// the layout is made in the child, in a mount namespace that nobody else has.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sandbox {

// Paths are absolute and inside of the new root. It has /proc with the program's own processes, a few devices, a /tmp
// of its own, and what is named here; it is read-only besides /tmp and the writable parts.
struct Tree {
  struct Part {
    std::string path;
    std::string source;  // a file or folder of the machine; empty: `mount`
    int mount = -1;      // a detached mount (open_tree)
    bool is_folder = true;
    bool is_writable = false;
  };
  std::vector<Part> parts;
  std::vector<std::pair<std::string, std::string>> links;  // path and target
  std::vector<std::pair<std::string, std::string>> texts;  // path and content of small files
  // Below the first writable part: what is hidden by an empty folder, and what is read-only there. What does not exist,
  // or is a link, is left as it is.
  std::vector<std::string> hidden, protected_names;
  std::uint64_t temporary_bytes = 64u << 20;  // of /tmp, which is memory
};

// A network with nothing but its own loopback interface, in which this port of 127.0.0.1 is listened to by the process
// that starts the program (Started::listening).
struct OwnNetwork {
  std::uint16_t port = 3'128;
  int channel = -1;  // where the socket is sent instead: a local socket of the caller
};

// What programs need of the operating system: /usr, /bin, /lib, /etc/ssl and their like, taken from `top` ("/", or a
// folder with a tree of its own), devices, and lists of users and names that know `user` alone.
Tree system_tree(const std::string& top, uid_t user);

// The same, prepared for the child: it makes system calls alone.
struct PreparedTree {
  struct Part {
    const char* source = nullptr;  // null: `mount`
    int mount = -1;                // number of the descriptor in the child
    std::string target;            // under `staging`
    bool is_writable = false;
  };
  std::vector<std::string> folders, files;                        // to make, under `staging`
  std::vector<std::pair<std::string, std::string>> links, texts;  // likewise
  std::vector<Part> parts;
  std::string writable;  // the first writable part, in the new root
  std::vector<std::string> hidden, protected_names;
  std::string temporary_options, proc, temporary;
};
// Where the new root is put together, before it becomes the root. All systems have it.
inline constexpr const char* staging = "/tmp";
inline constexpr std::size_t max_parts = 64;

// `first_mount`: number in the child of the first detached mount; the others follow in their order.
PreparedTree prepared(const Tree&, int first_mount);

// In the child. Returns the step that failed, with errno; null: done.
const char* make_tree(const PreparedTree&);
// Brings the loopback interface up and sends a socket that listens on the port to the other end of `channel`.
const char* make_network(std::uint16_t port, int channel);

}  // namespace sandbox
