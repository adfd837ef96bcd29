// Copies of folders that somebody else may be writing in.
#pragma once

#include <cstddef>
#include <filesystem>

namespace agentbox::cli {

// Makes `to` hold what `from` holds: files that are unchanged (size and time) are not copied again, what is gone is
// removed. Links are copied as links and never followed, and pipes are never opened: whoever writes in `from` can
// neither lead the copy to somebody else's files nor hold it up, nor make it fail by long paths or fill the disk by
// holes. Pipes, sockets, devices, what vanishes or changes its kind while it is read, and folders within more than 200
// others are left out; says how many such folders there were. Throws std::filesystem::filesystem_error.
std::size_t mirror(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace agentbox::cli
