/** What a policy allows. */
export interface Statement {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly condition?: object;
}

/** The text of a policy that allows something. */
export function allows(statements: readonly Statement[]): string {
  return JSON.stringify({
    Version: "2012-10-17",
    Statement: statements.map(({ actions, resources, condition }) => ({
      Effect: "Allow",
      Action: actions,
      Resource: resources,
      ...(condition === undefined ? {} : { Condition: condition }),
    })),
  });
}

/** The text of the policy of a role that a service of AWS takes on. */
export function assumableBy(service: string, actions: readonly string[] = ["sts:AssumeRole"]): string {
  return JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Principal: { Service: service }, Action: actions }],
  });
}
