// Apart from the kind itself: the agent needs these, and is to stay small.

/** How far an agent can be with an installer. */
export const INSTALLER_STATES = [
  "Fetching",
  "Running",
  "Succeeded",
  "Failed",
  "Refused",
  "Aborted",
  "Lost",
] as const;
/** The most characters that status takes of an installer's output. */
export const MAX_OUTPUT = 4096;
/** The most characters that status takes of what the agent says. */
export const MAX_MESSAGE = 1024;
/** After so many failed nodes an upgrade ends, whatever it should do on failure: its status stays small. */
export const MAX_FAILED = 20;
