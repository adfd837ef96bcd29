// What the process gives back of the memory it holds.
#pragma once

namespace agentbox {

// Gives back the pages of the program's files, and its libraries', that have been read so far: code and constants that
// only the start needed. What is needed again comes back from the page cache, or from the disk, as ever. For use once,
// when the start is over; any thread, whatever the others do.
void give_back_program_pages() noexcept;

// Lets the allocator give freed memory back in the time that main.cpp says, by a thread of its own, from now on.
// Without it that happens only while memory is being asked for: what a burst of work freed stays with an idle process.
void give_back_freed_memory() noexcept;

}  // namespace agentbox
