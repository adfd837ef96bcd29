// Returning memory of the process to the system.
#pragma once

namespace agentbox {

// Releases the resident pages of the program's and its libraries' files: code and constants that only the start needed.
// Pages that are needed again are read from the page cache or the disk. Call it once after the start, on any thread.
void give_back_program_pages() noexcept;

// Starts the allocator's background thread, which returns freed memory after the time set in main.cpp. Without it
// memory is returned only during allocations, so an idle process keeps the memory of an earlier burst.
void give_back_freed_memory() noexcept;

}  // namespace agentbox
