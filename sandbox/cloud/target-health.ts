import type { CloudState, TargetHealth } from "../aws";
import type { TargetHealth as Found } from "../machines";

/** What to tell AWS's API about a target. */
export interface HealthReport {
  targetGroupArn: string;
  target: { id: string; port: number };
  health: TargetHealth;
}

const WORDS: Record<Found["health"], TargetHealth> = {
  initial: {
    state: "initial",
    reason: "Elb.InitialHealthChecking",
    description: "Initial health checks in progress",
  },
  healthy: { state: "healthy" },
  unhealthy: {
    state: "unhealthy",
    reason: "Target.FailedHealthChecks",
    description: "Health checks failed",
  },
};

/** What the load balancers found that AWS's API does not say yet. */
export function healthReports(wanted: CloudState, found: readonly Found[]): HealthReport[] {
  const addresses = new Map(wanted.instances.map(({ id, privateIp }) => [id, privateIp]));
  return wanted.balancers.flatMap(({ arn, listeners, targetGroups }) =>
    listeners.flatMap(({ port: listenerPort, targetGroupArns }) => {
      const group = targetGroups.find((candidate) => candidate.arn === targetGroupArns[0]);
      return (group?.targets ?? []).flatMap(({ id, port, health }): HealthReport[] => {
        const ip = group?.targetType === "ip" ? id : addresses.get(id);
        const check = found.find(
          (one) =>
            one.loadBalancer === arn &&
            one.listenerPort === listenerPort &&
            one.ip === ip &&
            one.port === port,
        );
        if (group === undefined || check === undefined || check.health === health) return [];
        return [{ targetGroupArn: group.arn, target: { id, port }, health: WORDS[check.health] }];
      });
    }),
  );
}
