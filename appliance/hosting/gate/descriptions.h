// What the API documentation says about the gate's rows.
#pragma once

namespace gate::descriptions {

inline constexpr auto asks =
    "Newest first; `next` is the `before` of the following page, or null. `act` is exactly what would happen, `reason` "
    "the agent's own words, and `sources` whose texts its turn has besides the owner's. `state`: waiting, then refused "
    "or expired; or allowed, running and done, failed or unknown (the box ended while it was carried out: it is not "
    "repeated). With `waiting`: only those that wait.";

inline constexpr auto answer =
    "What is allowed is carried out once, and the agent's conversation goes on with the result; what is refused is "
    "reported to the agent with `note`. `always` makes the answer a rule of the agent: of this `target` or every act "
    "of "
    "the `effect`, in this conversation only or in all, until a time or until it is removed. The same answer again "
    "changes nothing. `content` is the answer to a question that asks for more than yes or no, which has "
    "act.requestedSchema; 400 names the field that does not fit. 409 ASK_ANSWERED for another one or after the "
    "question has expired. For a payment also 402 and "
    "429 as POST /api/wallet/transfers/:id/approve: it then goes on waiting.";

inline constexpr auto link =
    "The token is the part of the mailed address after '#'. It is for this question only; the question's own state and "
    "expiry apply.";

inline constexpr auto rules =
    "`effect`: read, write, outward (reaches others), code (commands) or money. `turns`: clean (the owner's words "
    "only), "
    "foreign (also texts from the web, mail, tools or other people) or any. `decision`: allow, ask or refuse. A rule "
    "with a conversation wins over one with a target, that over one without; among equals the last. Where no rule of "
    "the agent applies, `planRules` decide. `askSeconds`: how long questions wait (24 hours). `marks`: conversations "
    "(c:), files (f:), names of files (n) and the memory (m) that have texts of others, at most 500.";

inline constexpr auto marks = "`what` is one of `marks`; without it all. Turns in progress keep what they have read.";

inline constexpr auto plan_rules =
    "They come after the usual ones: reading and writing are allowed, the rest is allowed in clean turns and asked in "
    "others. An empty list restores the usual rules. Rules of an agent win over those of its plan. ownTasks bounds the "
    "scheduled tasks that an agent makes itself: how many it may have made (20), and the least time between two runs "
    "of those that it makes, changes or starts from now on (60 seconds). What is left out stays as it is.";

inline constexpr auto files =
    "Paths in the workspace. Reading a file that has texts of others makes the turn foreign, and files and memory that "
    "a foreign turn writes have texts of others. Pages, messages and tool results need no report: the box serves them.";

}  // namespace gate::descriptions
