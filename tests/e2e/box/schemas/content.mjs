// What is in the fixture of each schema.
export const OWNER = "owner@example.org";
export const AGENT = "Scout";
