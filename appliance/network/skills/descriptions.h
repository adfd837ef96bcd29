// Longer texts about the rows of skills, for the OpenAPI document.
#pragma once

namespace skills::descriptions {

inline constexpr auto list =
    "The box's own skills and the administrator's, by name; those with runsOnBox are used without an agent; with "
    "agentId, those that this agent has. installedFor "
    "names "
    "the caller's agents that have the skill. price is in US dollars for a use. limit is the plan's number of "
    "installed "
    "skills (label 3, solo 10, collective 25, network 100), counted over all agents: null for administrators and "
    "without a plan.";

inline constexpr auto install =
    "Copies the skill into the agent's workspace (skills/NAME). The agent has it in its instructions and tools from "
    "its "
    "next turn on; no restart is needed. Installing it again brings the copy up to date (200). 429 with current, limit "
    "and SKILL_LIMIT_REACHED beyond the plan's number, 402 with SUBSCRIPTION_REQUIRED without a plan.";

inline constexpr auto use =
    "Sends the agent a message that names the skill and gives its inputs, and answers with the run once the agent has "
    "answered: outcome is `succeeded` with result, or `failed` with error. With wait: false it answers 202 at once; "
    "the "
    "run is then at /api/skills/:name/runs/:runId. agentId may be left out if one agent has the skill. inputs are "
    "those that the skill declares: texts, numbers or booleans. prompt is what else the agent is to know. Tokens are "
    "metered as those of every message. A price is charged like a model call, within the caps; failed runs are not "
    "charged. 409 if the agent does not have the skill, 400 naming a wrong input.";

inline constexpr auto sale =
    "POST /api/v1/gateway sells uses of the skill from now on, at its price, with `plugin` skills and the skill's name "
    "as `action`. The agent that is named carries them out and must have the skill. Its owner's plan is metered for "
    "the tokens, and the run is among the owner's. Strangers' inputs reach the agent, so give the sale an agent of its "
    "own.";

inline constexpr auto uninstall =
    "Removes the copy from the agent's workspace; other files in its folder stay. Also for skills that the catalogue "
    "no "
    "longer has.";

inline constexpr auto runs = "Newest first; the newest 100 of each skill are kept.";

inline constexpr auto bookings =
    "The skill, and the newest 50 bookings in which one of the caller's agents buys or sells.";

inline constexpr auto settlement =
    "Bookings are negotiated over the bus. `hold`: the owner of the buying agent puts the price into escrow, from that "
    "agent's account on the box's ledger; the booking is accepted or confirmed. `settle` (default): a confirmed "
    "booking "
    "becomes settled and its price goes to the selling agent's account, out of escrow at the request of either owner, "
    "else directly at that of the buyer's. `refund`: what is in escrow goes back once the booking is cancelled or has "
    "expired. Each step happens once; asking again answers the same. 404 unless one of the caller's agents buys or "
    "sells, 403 for the other party's step, 409 with status and escrow out of order, 402 with INSUFFICIENT_BALANCE.";

inline constexpr auto splits = "The skill, and the caller's newest 50 splits.";

inline constexpr auto split =
    "Pays from the wallet of the caller's agent. The shares are percentages that add up to 100 (to within 0.01); "
    "amounts "
    "are exact to six decimals, the last recipient takes the rounding. Answers once the split is settled, or failed "
    "with its reason and success: false; after 15 seconds with 202, and the box goes on.";

inline constexpr auto packages =
    "Skills that the caller's agents have from an archive or an address in place of the catalogue. updateAvailable: at "
    "checkedAt, the address had another content than what is installed; it is looked at once a day. problem says why "
    "the last look failed. isComplete is false if an installation was cut off: install it again.";

inline constexpr auto review =
    "The body is a zip archive as for /api/admin/skills or, with `url`, empty: the box then gets the archive from "
    "there, within the agent's egress rules and from public addresses only. Nothing is installed. The answer has the "
    "skill's instructions, its files with their kind and what changes, the tools and hosts that it names, and the "
    "difference to what the agent has. digest is for POST /api/skill-packages. 409 if the catalogue has a skill of "
    "this name.";

inline constexpr auto install_package =
    "As the review, and installs: `digest` is that of the review, so that nothing else is installed than what was "
    "shown (409 with PACKAGE_CHANGED). Replaces the agent's version (200). Limits are those of POST /api/skills; "
    "DELETE /api/skills/:name uninstalls. The price and the inputs of such a skill have no effect: the agent uses it "
    "in its conversations.";

inline constexpr auto check_package =
    "Looks at the skill's address now. Nothing is installed: review the address to see what has changed.";

inline constexpr auto admin_review =
    "As POST /api/skill-packages/review, for the catalogue: compared with the administrator's skill of this name.";

inline constexpr auto upload =
    "The body is a zip archive of at most 2 MB (any content type), or empty with `url`, from where the box gets it; "
    "with "
    "`digest`, only the content that was reviewed is taken (else 409 with PACKAGE_CHANGED). It has SKILL.md and "
    "further files, at the root or in one "
    "folder; at most 64 files, 512 KB each and 2 MB together when unpacked. A skill of the same name is replaced "
    "(200), "
    "unless it is the box's own (409). Agents that have it keep their copy until it is installed again. 400, naming "
    "the "
    "file, for links, encrypted entries, paths outside of the folder, and a wrong front matter.";

inline constexpr auto remove = "Agents that have the skill keep their copy. The box's own cannot be removed (409).";

}  // namespace skills::descriptions
