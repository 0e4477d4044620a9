/** Runs programs as services of the host, so that they continue when the agent ends. */
export interface HostUnits {
  /** Starts a program under a name; does nothing if one runs under that name already. */
  start(name: string, argv: readonly string[], description: string): Promise<void>;
  /** Whether a program of that name runs. */
  isRunning(name: string): Promise<boolean>;
  /** Ends a program, if it runs. */
  stop(name: string): Promise<void>;
}
