/** Runs programs on the host as services of its own, so that they go on when the agent ends. */
export interface HostUnits {
  /** Starts a program under a name; one that runs under that name already is fine. */
  start(name: string, argv: readonly string[], describes: string): Promise<void>;
  /** Whether a program of that name runs. */
  runs(name: string): Promise<boolean>;
  /** Ends a program, if it runs. */
  stop(name: string): Promise<void>;
}
