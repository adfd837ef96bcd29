// What a standby has of the data folder besides the store: workspaces, skills, the settings and what goes with them.
// The box sends what differs from what the standby has.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/box/standby/connection.h"
#include "appliance/files/root.h"
#include "appliance/foundation/data_folder.h"

namespace standby {

struct TreeEntry {
  Kind kind = Kind::file;  // file, folder or link
  std::uint32_t mode = 0;
  std::int64_t size = 0, modified = 0;  // of files; nanoseconds since the epoch
  std::string target;                   // of links
  bool operator==(const TreeEntry&) const = default;
};
// By their paths in the data folder. A folder comes before what is in it.
using Tree = std::map<std::string, TreeEntry>;

// The files of a data folder that a standby follows. Agents may change theirs meanwhile; what cannot be opened, and
// folders nested more than 200 deep, are left out. Blocks.
Tree list_tree(const agentbox::DataFolder&);

// As the content of a frame, and back; throws std::runtime_error for other contents.
std::string encode(const std::string& path, const TreeEntry&);
std::pair<std::string, TreeEntry> decode_entry(std::string_view content);

// The frames that bring a standby from one tree to another.
class TreeSender {
 public:
  // `known` is what the standby has, `wanted` what it is to have.
  TreeSender(const agentbox::DataFolder&, const Tree& known, Tree wanted);
  // Nothing at the end, after tree_end. Blocks for a read of one piece.
  std::optional<Frame> next();
  const Tree& wanted() const { return wanted_; }

 private:
  Frame next_piece();

  const std::filesystem::path folder_;
  const Tree wanted_;
  std::deque<std::string> removed_, changed_;
  files::Descriptor file_;  // the one that is being sent
  std::int64_t at_ = 0, size_ = 0;
  bool has_ended_ = false;
};

// Applies these frames to a data folder. Nothing outside of it is touched, whatever links are in it.
class TreeReceiver {
 public:
  explicit TreeReceiver(const agentbox::DataFolder&);
  ~TreeReceiver();
  // Of the kinds removed, folder, link, file, piece and tree_end. Throws std::runtime_error with what failed.
  void apply(const Frame&);

 private:
  struct Place {
    files::Descriptor folder;
    std::string name;
  };
  Place place_of(const std::string& path) const;
  static void remove(const Place&);
  void write_piece(std::string_view content);
  void drop_draft();

  const std::filesystem::path path_;
  files::Root root_;
  std::optional<Place> open_place_;  // of the file that is being received
  TreeEntry open_entry_;
  files::Descriptor draft_;
};

}  // namespace standby
