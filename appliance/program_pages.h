// The program's own pages in memory.
#pragma once

namespace agentbox {

// Gives back the pages of the program's files, and its libraries', that have been read so far: code and constants that
// only the start needed. What is needed again comes back from the page cache, or from the disk, as ever. For use once,
// when the start is over; any thread, whatever the others do.
void give_back_program_pages() noexcept;

}  // namespace agentbox
